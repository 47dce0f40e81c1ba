/// What the transport's own files call the protocol's types and properties.
#pragma once

#include <waybill/rabbitmq_properties.hpp>
