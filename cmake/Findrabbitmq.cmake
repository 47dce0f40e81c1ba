# Finds rabbitmq-c, whose CMake package Debian 12 does not bring: the target rabbitmq::rabbitmq.
find_path(rabbitmq_INCLUDE_DIR amqp_ssl_socket.h)
find_library(rabbitmq_LIBRARY rabbitmq)
mark_as_advanced(rabbitmq_INCLUDE_DIR rabbitmq_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(rabbitmq REQUIRED_VARS rabbitmq_LIBRARY rabbitmq_INCLUDE_DIR
    REASON_FAILURE_MESSAGE "Install the Debian package librabbitmq-dev, or run scripts/setup.sh build.")

if(rabbitmq_FOUND AND NOT TARGET rabbitmq::rabbitmq)
    add_library(rabbitmq::rabbitmq UNKNOWN IMPORTED)
    set_target_properties(rabbitmq::rabbitmq PROPERTIES
        IMPORTED_LOCATION ${rabbitmq_LIBRARY}
        INTERFACE_INCLUDE_DIRECTORIES ${rabbitmq_INCLUDE_DIR})
endif()
