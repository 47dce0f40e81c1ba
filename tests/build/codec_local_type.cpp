// expect: waybill: a message must be declared outside of functions, at namespace scope
// clang: phantom<order>' is used but not defined
// clang: its type does not have linkage
#include <waybill/codec.hpp>

int main() {
    struct order {
        int id;
    };
    return static_cast<int>(waybill::value_type_of<order>().size);
}
