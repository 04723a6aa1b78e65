# Compiles up to `most` sources of each folder of a target as one, which takes half the time, since most of it is spent
# on what they include. So names in an anonymous namespace are unique within a folder. Sources with options of their own
# stand alone; all do with preset debug, for whoever changes one at a time, and with preset tidy.
function(trellis_compile_together target most)
  if(CMAKE_BUILD_TYPE STREQUAL Debug)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    math(EXPR number_${folder} "${number_${folder}} + 1")
    math(EXPR group "(${number_${folder}} - 1) / ${most}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
