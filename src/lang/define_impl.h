/* Private to define.c, define_function.c and override.c. */
#ifndef RITTI_DEFINE_IMPL_H
#define RITTI_DEFINE_IMPL_H

#include "lang/lang_impl.h"

/* Copies a value into memory that lasts until the model is read. */
ritti_value ritti_keep_value(ritti_resolver *resolver, ritti_value value);
/* Reports a mistake in an override: the call is wrong, not the model. */
void ritti_say_call(ritti_resolver *resolver, const char *hint, const char *text);
/* Reads the overrides whose names are declared. `all`: the others are reported; otherwise paths may
 * be declared later. */
ritt_status ritti_read_overrides(ritti_resolver *resolver, const ritti_override *override,
                                 size_t overrides, bool all) RITT_USE;
/* Reports overrides of elements that do not exist; the parameters must be defined. */
void ritti_check_overrides(ritti_resolver *resolver);
/* The override of a whole parameter; NULL: none, or the symbol is not a parameter. */
const ritti_set *ritti_whole_override(const ritti_resolver *resolver, const ritti_symbol *symbol);
/* The override of element i of a parameter; NULL: none, or the symbol is not a parameter. */
const ritti_set *ritti_element_override(const ritti_resolver *resolver, const ritti_symbol *symbol,
                                        size_t i);

/* Reads the tables, and reports wrong names in functions, whether they are called or not. */
void ritti_check_functions(ritti_resolver *resolver);

#endif
