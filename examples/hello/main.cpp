#include "refunds.hpp"

int main(int argc, char** argv) { return waybill::run_main(make_app, argc, argv); }
