# cmake -D OUT=FILE.c -D "IN=A.ritt;B.ritt" -D HEADER=H -D TYPE=T -D NAME=N -P library.cmake: model files as the table N of their
# names and lines; the header H declares its type T.
set(texts "")
set(table "")
foreach(file ${IN})
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} text)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE "\n" "\\n\",\n    \"" text "${text}")
  string(APPEND texts "static const char *const ${name}[] = {\n    \"${text}\",\n    NULL};\n")
  string(APPEND table "    {\"${name}\", ${name}},\n")
endforeach()
file(WRITE ${OUT} "#include <stddef.h>\n#include \"${HEADER}\"\n${texts}extern const ${TYPE} ${NAME}[];\nconst ${TYPE} ${NAME}[] = {\n${table}    {NULL, NULL}};\n")
