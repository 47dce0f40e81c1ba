/* What a shared build exports; everything else is hidden. WAYBILL_API marks what a program uses,
   WAYBILL_INNER what Waybill's own libraries (transports, test kit) use of the core: no program
   may count on it. */
#pragma once

#if defined(_WIN32)
#define WAYBILL_API
#else
#define WAYBILL_API __attribute__((visibility("default")))
#endif
#define WAYBILL_INNER WAYBILL_API
