# Compiles SOURCE, which is wrong, and looks for the sentence of its first line in the first ten lines of the compiler's
# output. In the folder PRECOMPILED the header that all of them include may lie precompiled.
file(STRINGS ${SOURCE} first_line LIMIT_COUNT 1)
string(REPLACE "// The compiler says: " "" sentence "${first_line}")
execute_process(COMMAND ${COMPILER} -std=c++20 -fsyntax-only -I${PRECOMPILED} -I${INCLUDES} ${SOURCE}
  RESULT_VARIABLE failed ERROR_VARIABLE output)
if(failed EQUAL 0)
  message(FATAL_ERROR "${SOURCE} compiles")
endif()
string(REPEAT "[^\n]*\n?" 10 ten_lines)
string(REGEX MATCH "^${ten_lines}" first_ten "${output}")
string(FIND "${first_ten}" "${sentence}" place)
if(place EQUAL -1)
  message(FATAL_ERROR "not in the first ten lines: '${sentence}'\n${output}")
endif()
