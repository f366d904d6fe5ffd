# ocelli_room(NAME
#   SOURCES a.cc b.cc         the library ocelli_NAME
#   TESTS a_test.cc b_test.cc the program NAME_test, one ctest entry
#   DEPS ocelli_base ...      other rooms and libraries that its headers use
#   PRIVATE_DEPS ...          libraries that only its sources use
#   TEST_DEPS ...)            what only the tests use
function(ocelli_room NAME)
  cmake_parse_arguments(ROOM "" "" "SOURCES;TESTS;DEPS;PRIVATE_DEPS;TEST_DEPS" ${ARGN})
  add_library(ocelli_${NAME} STATIC ${ROOM_SOURCES})
  target_include_directories(ocelli_${NAME} PUBLIC "${CMAKE_SOURCE_DIR}/src")
  target_link_libraries(ocelli_${NAME} PUBLIC ${ROOM_DEPS} PRIVATE ${ROOM_PRIVATE_DEPS})
  if(ROOM_TESTS)
    ocelli_test(${NAME}_test SOURCES ${ROOM_TESTS} DEPS ocelli_${NAME} ${ROOM_TEST_DEPS})
  endif()
endfunction()

# ocelli_test(NAME SOURCES ... DEPS ...): a GoogleTest program that ctest runs, bounded in time.
function(ocelli_test NAME)
  cmake_parse_arguments(TEST "" "TIMEOUT" "SOURCES;DEPS" ${ARGN})
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT 600)
  endif()
  add_executable(${NAME} ${TEST_SOURCES})
  target_link_libraries(${NAME} PRIVATE ${TEST_DEPS} GTest::gmock GTest::gtest_main)
  target_compile_definitions(${NAME} PRIVATE OCELLI_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
                                             OCELLI_BUILD_DIR="${CMAKE_BINARY_DIR}")
  add_test(NAME ${NAME} COMMAND ${NAME})
  set_tests_properties(${NAME} PROPERTIES TIMEOUT ${TEST_TIMEOUT})
endfunction()
