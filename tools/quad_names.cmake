# The names of the second build of the engine: cmake -D OUT=header "-DIN=sources" -P quad_names.cmake
#
# Gives every external name that the sources define the suffix _quad, by a list of #defines that the compiler reads before each of
# them. A definition begins in the first column and is not static; clang-format keeps it so. If a name is missing the linker finds it
# twice in libritt.so, and if one is too many it finds it nowhere.
set(names)
foreach(file ${IN})
  file(STRINGS ${file} lines REGEX "^[a-z].*[ *]ritt[a-z]*_[a-z0-9_]+(\\(|\\[| = |;)")
  foreach(line IN LISTS lines)
    if(line MATCHES "^(static|typedef|extern|return|else) ")
      continue()
    endif()
    string(REGEX MATCH "[ *](ritt[a-z]*_[a-z0-9_]+)(\\(|\\[| = |;)" found "${line}")
    list(APPEND names ${CMAKE_MATCH_1})
  endforeach()
endforeach()
list(SORT names)
list(REMOVE_DUPLICATES names)
list(TRANSFORM names REPLACE "(.+)" "#define \\1 \\1_quad\n")
list(JOIN names "" text)
file(CONFIGURE OUTPUT ${OUT} CONTENT "/* made by tools/quad_names.cmake */\n${text}" @ONLY)
