# cmake -D LAUNCH=... -D CODE=... -D SAYS=... -P: the command ends within seconds, with this exit code and these words
# among its errors.
execute_process(COMMAND ${LAUNCH} TIMEOUT 15 RESULT_VARIABLE code ERROR_VARIABLE errors OUTPUT_QUIET)
if(NOT code MATCHES "^(${CODE})$")
  message(FATAL_ERROR "it ended with '${code}', not with ${CODE}:\n${errors}")
endif()
if(NOT errors MATCHES "${SAYS}")
  message(FATAL_ERROR "it did not say '${SAYS}':\n${errors}")
endif()
