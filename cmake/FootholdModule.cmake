# Tests are compiled with little optimisation: their own code is not what takes the time, and
# theirs is two thirds of all sources. The libraries they call are optimised as usual.
# The address sanitizer's preset leaves them out altogether and watches the libraries.
set(FOOTHOLD_TEST_OPTIONS $<$<CONFIG:Release>:-O1> CACHE STRING "Compile options of the tests")
option(FOOTHOLD_WHOLE_TESTS "Run each test program once instead of once per test: sanitizers start slowly" OFF)

# foothold_add_precompiled(<target> HEADERS <header>... [LINK <target>...] [OPTIONS <option>...])
#
# Compiles the headers once, for other targets to take with REUSE_FROM. Their flags
# must be the same: a module adds no compile options of its own.
function(foothold_add_precompiled target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS;LINK;OPTIONS")
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT "")
  add_library(${target} OBJECT "${source}")
  target_link_libraries(${target} PRIVATE foothold_flags ${arg_LINK})
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_compile_options(${target} PRIVATE ${arg_OPTIONS})
  target_precompile_headers(${target} PRIVATE ${arg_HEADERS})
endfunction()

# foothold_add_module(<name> DESCRIPTION <text> [DEPENDS <module>...]
#                     [PUBLIC <target>...] [PRIVATE <target>...] [SOURCES <file>...])
#
# Declares library foothold_<name> (alias foothold::<name>) from include/foothold/<name> and
# src. Headers in internal/foothold/<name> are for the other libraries of this build and are never
# installed; no installed header may include them. A module may depend only on modules declared before it, so a cycle or an
# upward dependency fails at configure time.
function(foothold_add_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DESCRIPTION" "DEPENDS;PUBLIC;PRIVATE;SOURCES")
  if(NOT arg_DESCRIPTION)
    message(FATAL_ERROR "foothold_add_module(${name}): DESCRIPTION is required")
  endif()
  if(NOT IS_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}/include/foothold/${name}")
    message(FATAL_ERROR "foothold_add_module(${name}): include/foothold/${name} is missing")
  endif()

  set(target foothold_${name})
  set(scope PUBLIC)
  if(arg_SOURCES)
    add_library(${target} ${arg_SOURCES})
    target_link_libraries(${target} PRIVATE foothold_flags ${arg_PRIVATE})
    target_include_directories(${target} PRIVATE src)
    # The Python module links these archives into a shared object.
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON
      UNITY_BUILD ${FOOTHOLD_UNITY} UNITY_BUILD_BATCH_SIZE ${FOOTHOLD_UNITY_BATCH})
    if(FOOTHOLD_PRECOMPILED_HEADERS)
      target_precompile_headers(${target} REUSE_FROM foothold_pch)
    endif()
  else()
    set(scope INTERFACE)
    add_library(${target} INTERFACE)
  endif()
  set(internal "")
  if(IS_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}/internal")
    set(internal "${CMAKE_CURRENT_SOURCE_DIR}/internal")
  endif()
  add_library(foothold::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(${target} ${scope} cxx_std_20)
  target_include_directories(${target} ${scope}
    $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${internal}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

  foreach(dependency IN LISTS arg_DEPENDS)
    if(NOT TARGET foothold::${dependency})
      message(FATAL_ERROR "foothold_add_module(${name}): ${dependency} is not a lower layer")
    endif()
    target_link_libraries(${target} ${scope} foothold::${dependency})
  endforeach()
  target_link_libraries(${target} ${scope} foothold_arch ${arg_PUBLIC})

  # foothold_flags is empty for consumers but must exist in the export set.
  install(TARGETS ${target} EXPORT footholdTargets)
  install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endfunction()

# foothold_add_tests(<module> [AS_ONE] [LABEL slow|threads|integration] SOURCES <file>...
#                    [LINK <target>...])
#
# Every test has its module as a label; LABEL adds a second one, in a binary of its own. The
# binaries with the label `threads` are built by the target `threads_tests`, all but those with
# the label `slow` by `unit_tests`. Tests that cross
# libraries name a folder of tests/ instead of a module and LINK what they need. AS_ONE: where
# FOOTHOLD_UNITY is on, the sources are compiled as one, so that Eigen's templates are instantiated once;
# their names must not clash.
function(foothold_add_tests name)
  if(NOT FOOTHOLD_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "AS_ONE" "LABEL" "SOURCES;LINK")
  set(target foothold_${name}_test)
  set(labels LABELS ${name})
  if(arg_LABEL)
    set(target foothold_${name}_${arg_LABEL}_test)
    list(APPEND labels LABELS ${arg_LABEL})  # the property accumulates; a list would be flattened
  endif()
  add_executable(${target} ${arg_SOURCES})
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_compile_options(${target} PRIVATE ${FOOTHOLD_TEST_OPTIONS})
  if(arg_AS_ONE)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ${FOOTHOLD_UNITY} UNITY_BUILD_BATCH_SIZE ${FOOTHOLD_UNITY_BATCH})
  endif()
  target_link_libraries(${target} PRIVATE foothold_flags GTest::gtest_main ${arg_LINK})
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests/support")
  if(TARGET foothold::${name})
    target_link_libraries(${target} PRIVATE foothold::${name})
    target_include_directories(${target} PRIVATE src)  # tests may see internals
  endif()
  if(FOOTHOLD_PRECOMPILED_HEADERS)
    target_precompile_headers(${target} REUSE_FROM foothold_test_pch)
  endif()
  if(arg_LABEL STREQUAL "threads")
    add_dependencies(threads_tests ${target})
  endif()
  if(NOT arg_LABEL STREQUAL "slow")
    add_dependencies(unit_tests ${target})
  endif()
  # rapidcheck draws a new seed each time unless told: a test must not depend on the day.
  set(environment ENVIRONMENT RC_PARAMS=seed=20191208)
  if(FOOTHOLD_WHOLE_TESTS)
    add_test(NAME ${target} COMMAND ${target})
    set_tests_properties(${target} PROPERTIES LABELS "${name};${arg_LABEL}" ${environment})
  else()
    gtest_discover_tests(${target} DISCOVERY_TIMEOUT 60 PROPERTIES ${labels} ${environment})
  endif()
endfunction()

# foothold_add_bench(<name> [GUARD] SOURCES <file>... [LINK <target>...])
#
# A program foothold_bench_<name> that measures, with what the programs of bench/ share. Those with GUARD count
# instructions: they are built with FOOTHOLD_BUILD_BENCH=GUARD as well, the others only with ON.
function(foothold_add_bench name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "GUARD" "" "SOURCES;LINK")
  if(FOOTHOLD_BUILD_BENCH STREQUAL "GUARD" AND NOT arg_GUARD)
    return()
  endif()
  set(target foothold_bench_${name})
  add_executable(${target} ${arg_SOURCES})
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests/support")
  target_link_libraries(${target} PRIVATE foothold_flags foothold_bench_support foothold::policy ${arg_LINK})
endfunction()
