// expect: waybill: a message must be declared outside of functions, at namespace scope
#include <waybill/codec.hpp>

int main() {
    struct order {
        int id;
    };
    return static_cast<int>(waybill::value_type_of<order>().size);
}
