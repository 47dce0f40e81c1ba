// expect: an outcome settles only where the handler returns it
// also: -Werror
#include <waybill/outcome.hpp>

void refuse(int cents) {
    if (cents == 0) waybill::drop();
}
