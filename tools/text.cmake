# cmake -D OUT=FILE.c -D NAME=VARIABLE -D IN="A.h;B.h" -P text.cmake: the texts of files, joined to one text, as an array of
# strings that ends with NULL. Lines with #include, import and export have no meaning in one text; a JSON file becomes the constant
# `grammar`.
set(all "")
foreach(file ${IN})
  file(READ ${file} text)
  string(REGEX REPLACE "#include [^\n]*\n" "" text "${text}")
  if(file MATCHES "\\.js$")
    string(REGEX REPLACE "\nimport [^\n]*" "" text "${text}")
    string(REGEX REPLACE "\nexport " "\n" text "${text}")
  elseif(file MATCHES "\\.json$")
    set(text "const grammar = ${text};\n")
  endif()
  string(APPEND all "${text}")
endforeach()
string(REPLACE "\\" "\\\\" all "${all}")
string(REPLACE "\"" "\\\"" all "${all}")
string(REPLACE "\n" "\\n\",\n    \"" all "${all}")
file(WRITE ${OUT} "#include <stddef.h>\nextern const char *const ${NAME}[];\nconst char *const ${NAME}[] = {\n    \"${all}\",\n    NULL};\n")
