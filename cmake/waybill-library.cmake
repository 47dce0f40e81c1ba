# waybill_library(<name> FOLDERS <folder of src>... PUBLIC <target>... PRIVATE <target>...)
#
# Makes waybill_<name> with the alias waybill::<name> from the .cpp files of those folders. Without
# any source it makes an interface library, so that what stands on it still configures.
function(waybill_library name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FOLDERS;PUBLIC;PRIVATE")
    set(sources)
    foreach(folder IN LISTS arg_FOLDERS)
        file(GLOB_RECURSE found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${folder}/*.cpp)
        list(APPEND sources ${found})
    endforeach()

    set(target waybill_${name})
    if(sources)
        add_library(${target} ${sources})
        target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
        target_link_libraries(${target} PRIVATE ${arg_PRIVATE})
        set(scope PUBLIC)
    else()
        add_library(${target} INTERFACE)
        set(scope INTERFACE)
    endif()
    add_library(waybill::${name} ALIAS ${target})
    target_link_libraries(${target} ${scope} ${arg_PUBLIC})
    target_compile_features(${target} ${scope} cxx_std_23)
    target_include_directories(${target} ${scope}
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    set_target_properties(${target} PROPERTIES
        EXPORT_NAME ${name}
        VERSION ${PROJECT_VERSION}
        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    set_property(GLOBAL APPEND PROPERTY waybill_libraries ${target})
endfunction()

# Stops with a sentence when a header of a library that is only headers is not there.
function(waybill_require_header header package)
    string(MAKE_C_IDENTIFIER "WAYBILL_HAVE_${header}" variable)
    find_path(${variable} ${header})
    mark_as_advanced(${variable})
    if(NOT ${variable})
        message(FATAL_ERROR "The header <${header}> is missing. Install the Debian package "
                            "${package}, or run scripts/setup.sh build.")
    endif()
endfunction()
