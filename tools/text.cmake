# cmake -D OUT=FILE.c -D NAME=VARIABLE -D IN="A.h;B.h" -P text.cmake: the texts of headers, without their #include lines,
# as an array of strings that ends with NULL.
set(all "")
foreach(file ${IN})
  file(READ ${file} text)
  string(REGEX REPLACE "#include [^\n]*\n" "" text "${text}")
  string(APPEND all "${text}")
endforeach()
string(REPLACE "\\" "\\\\" all "${all}")
string(REPLACE "\"" "\\\"" all "${all}")
string(REPLACE "\n" "\\n\",\n    \"" all "${all}")
file(WRITE ${OUT} "#include <stddef.h>\nextern const char *const ${NAME}[];\nconst char *const ${NAME}[] = {\n    \"${all}\",\n    NULL};\n")
