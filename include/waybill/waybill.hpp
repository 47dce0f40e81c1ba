/// Everything that a service is written with, but for the transports (`<waybill/memory.hpp>`) and
/// the test kit (`<waybill/testing.hpp>`).
#pragma once

#include <waybill/app.hpp>
#include <waybill/backoff.hpp>
#include <waybill/codec.hpp>
#include <waybill/context.hpp>
#include <waybill/declaration.hpp>
#include <waybill/delivery.hpp>
#include <waybill/error.hpp>
#include <waybill/headers.hpp>
#include <waybill/health.hpp>
#include <waybill/log.hpp>
#include <waybill/out.hpp>
#include <waybill/outcome.hpp>
#include <waybill/outgoing.hpp>
#include <waybill/own_codec.hpp>
#include <waybill/publisher.hpp>
#include <waybill/reply.hpp>
#include <waybill/router.hpp>
#include <waybill/run_main.hpp>
#include <waybill/settlement.hpp>
#include <waybill/state.hpp>
#include <waybill/subscription.hpp>
