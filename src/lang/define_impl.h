/* Private to define.c, define_function.c and override.c. */
#ifndef RITTI_DEFINE_IMPL_H
#define RITTI_DEFINE_IMPL_H

#include "lang/lang_impl.h"

/* A copy of a value that lasts until the model is read. */
ritti_value ritti_keep_value(ritti_resolver *resolver, ritti_value value);
/* Tells a mistake of the call: one of an override. */
void ritti_say_call(ritti_resolver *resolver, const char *hint, const char *text);
/* The overrides, once the names are declared. */
ritt_status ritti_read_overrides(ritti_resolver *resolver, const ritti_override *override,
                                 size_t overrides) RITT_USE;
/* The overrides of single elements, once the parameters are defined: reported where there is no
 * such element. */
void ritti_check_overrides(ritti_resolver *resolver);
/* The override of a whole parameter, of its element i; NULL: none. */
const ritti_set *ritti_whole_override(const ritti_resolver *resolver, const ritti_symbol *symbol);
const ritti_set *ritti_element_override(const ritti_resolver *resolver, const ritti_symbol *symbol,
                                        size_t i);

/* Reads the tables, and tells what is wrong with the names in functions, whether they are called or
 * not. */
void ritti_check_functions(ritti_resolver *resolver);

#endif
