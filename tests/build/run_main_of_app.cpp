// expect: waybill: run_main makes the app itself: give it the function that does, without calling it
#include <waybill/waybill.hpp>

waybill::app make_app();

int main(int argc, char** argv) { return waybill::run_main(make_app(), argc, argv); }
