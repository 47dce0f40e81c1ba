/* Marks what a shared build of Waybill exports; everything else is hidden. */
#pragma once

#if defined(_WIN32)
#define WAYBILL_API
#else
#define WAYBILL_API __attribute__((visibility("default")))
#endif
