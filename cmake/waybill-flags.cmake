# The language, the warnings and the compiler cache: what every file of this project is built with.
set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

if(NOT PROJECT_IS_TOP_LEVEL)
    return()
endif()

set(CMAKE_POSITION_INDEPENDENT_CODE ON)
# Everything is hidden but what include/waybill/export.h marks.
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()

# -fno-semantic-interposition: an exported function may still be inlined into its neighbours.
# -ffile-prefix-map: __FILE__ and debug information do not depend on where the clone lies, so that
# tests print short names and clones in other folders share compiled objects.
# -fmacro-prefix-map: ccache makes paths relative to the build folder; __FILE__ is not.
# -fdiagnostics-color: ninja takes the colours out where there is no terminal.
option(WAYBILL_WERROR "Warnings are errors" ON)
set(waybill_werror)
if(WAYBILL_WERROR)
    set(waybill_werror -Werror)
endif()
add_compile_options(-Wall -Wextra ${waybill_werror} -fno-semantic-interposition
                    -ffile-prefix-map=${PROJECT_SOURCE_DIR}/= -fmacro-prefix-map=../=
                    -fdiagnostics-color=always)

# A shared library names all it stands on. Sanitizers leave their own references open.
if(NOT CMAKE_CXX_FLAGS MATCHES -fsanitize)
    add_link_options(-Wl,--no-undefined)
endif()

find_program(WAYBILL_CCACHE ccache)
mark_as_advanced(WAYBILL_CCACHE)
if(WAYBILL_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
                                    ${WAYBILL_CCACHE})
endif()
