# Finds libcbor, which brings no CMake package of its own in Debian 12: the target cbor::cbor.
find_path(cbor_INCLUDE_DIR cbor.h)
find_library(cbor_LIBRARY cbor)
mark_as_advanced(cbor_INCLUDE_DIR cbor_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(cbor REQUIRED_VARS cbor_LIBRARY cbor_INCLUDE_DIR
    REASON_FAILURE_MESSAGE "Install the Debian package libcbor-dev, or run scripts/setup.sh build.")

if(cbor_FOUND AND NOT TARGET cbor::cbor)
    add_library(cbor::cbor UNKNOWN IMPORTED)
    set_target_properties(cbor::cbor PROPERTIES
        IMPORTED_LOCATION ${cbor_LIBRARY}
        INTERFACE_INCLUDE_DIRECTORIES ${cbor_INCLUDE_DIR})
endif()
