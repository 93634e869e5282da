// The rule tables and the checker of clcu for other languages. Made by cbindgen from c-interface/src; do not edit.
//
// What must hold before a CUDA or OpenCL driver is called, for records (descriptors) and property lists: each rule with a stable id.
//
// Ownership. A `clcu_context` and a `clcu_result` belong to whoever got them from a function here, and end with `clcu_context_free` and
// `clcu_result_free`. Nothing that is passed in is kept: texts, arrays and records may go when the call returns. A `const char *` that comes
// back is a text of UTF-8 with a zero at its end, never null, and must not be freed: those of tables (`clcu_rule`, `clcu_record`,
// `clcu_handle_type`, `clcu_version`, `clcu_status_text`) stay for as long as the library is loaded, those of a `clcu_result` until it is freed.
//
// Threads. Every function may be called from any thread at any time. A `clcu_context` may be read by several at once, and must not be
// changed or freed meanwhile; a `clcu_result` never changes, and must not be freed while it is read.
//
// Errors. Every function that can fail returns a `clcu_status`, and writes through its out parameters where it is CLCU_OK and nowhere else,
// but for a buffer that is too small (see `clcu_result_message`). Null is an error where the text of a function does not allow it. No
// function unwinds or ends the process: a fault within comes back as CLCU_FAULT.


#ifndef CLCU_CHECK_H
#define CLCU_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// How a call went.
typedef enum clcu_status {
  // It did what was asked. Of a check: it was made, and `clcu_result_violation_count` says with what outcome.
  CLCU_OK = 0,
  // A pointer is null that must not be.
  CLCU_NULL_ARGUMENT = 1,
  // A text is not UTF-8.
  CLCU_NOT_TEXT = 2,
  // There is no record, command, parameter, fact, rule or platform of this name.
  CLCU_UNKNOWN_NAME = 3,
  // The size is not that of the record: it is another record, or another version of it.
  CLCU_WRONG_SIZE = 4,
  // The fact is not of this kind: a set where a number is wanted, or the other way round; or the number does not fit it.
  CLCU_WRONG_KIND = 5,
  // The index is not below the count.
  CLCU_OUT_OF_RANGE = 6,
  // The buffer has no room for the text and its terminating zero.
  CLCU_BUFFER_TOO_SMALL = 7,
  // A fault of this library, which was contained. Nothing was changed that the caller can see.
  CLCU_FAULT = 8,
} clcu_status;

// What is known of the context of a call: the facts that rules ask for, and the rules that are waived. What is not given is not known: a
// rule that needs it comes back as not checked.
typedef struct clcu_context clcu_context;

// What a check found. It keeps nothing of what was checked.
typedef struct clcu_result clcu_result;

// A rule that is broken. The texts stay until the result is freed.
typedef struct clcu_violation {
  // The id of the rule, by which it can be waived.
  const char *rule;
  // The fields that it is about, with blanks between: `handle.win32.handle handle.win32.name`.
  const char *field;
  // What stood there.
  const char *found;
  // What was wanted.
  const char *wanted;
  // The code that upstream promises in this case; empty where it promises none.
  const char *error;
} clcu_violation;

// A rule that was not checked. The texts stay until the result is freed.
typedef struct clcu_undecided {
  // The id of the rule.
  const char *rule;
  // The fields that it is about, with blanks between.
  const char *field;
  // The facts that would decide it, by the names that `clcu_context_number` and its like take, with blanks between; empty where only the
  // caller can tell.
  const char *missing;
} clcu_undecided;

// A record that can be checked. The texts stay for as long as the library is loaded.
typedef struct clcu_record {
  // `cuda` or `opencl`.
  const char *api;
  // Upstream's name, with its version where it has one.
  const char *name;
  // Other names that mean it, with blanks between; empty where there is none.
  const char *other_names;
  // Its `sizeof`.
  size_t size;
  // Its alignment in C. Checks do not need it.
  size_t align;
} clcu_record;

// A rule. The texts stay for as long as the library is loaded; what is not known is empty.
typedef struct clcu_rule {
  // Stable, and what a caller names to waive it.
  const char *id;
  // The record or command that it is about.
  const char *subject;
  // The fields, with blanks between.
  const char *fields;
  // What must hold of them, as a phrase.
  const char *wanted;
  // `stated` by upstream, `derived` from it, or `ours`.
  const char *origin;
  // The document that states it.
  const char *document;
  // The symbol whose text states it.
  const char *symbol;
  // Why this project adds or settles it.
  const char *reason;
  // The code that upstream promises where it does not hold.
  const char *error;
  // The first version in which it holds.
  const char *since;
  // The last one, where a newer one differs.
  const char *until;
  // Whether a check can decide it. If not, the caller vouches for it.
  bool checkable;
} clcu_rule;

// A kind of external handle: who owns it, what it carries, where it exists. The texts stay for as long as the library is loaded; what upstream
// does not say is `unspecified`, what there is not is empty. Lists have blanks between.
typedef struct clcu_handle_type {
  // `cuda` or `opencl`.
  const char *api;
  // What it stands for: `memory`, `semaphore`, `allocation`, ….
  const char *kind;
  // Upstream's enumerator, or the type where there is none.
  const char *name;
  // What identifies it in ids of rules: `OPAQUE_FD`.
  const char *short_name;
  // The enumeration of its value.
  const char *enumeration;
  // Whether it has a value.
  bool has_value;
  // Its value.
  uint64_t value;
  // The record that describes it for import.
  const char *record;
  // What carries the handle there.
  const char *members;
  // Where it exists.
  const char *platform;
  // What importing does to the payload.
  const char *transference;
  // How long an import lasts.
  const char *permanence;
  // Who owns the handle after a successful import.
  const char *owner_on_success;
  // Who owns it after a failed one.
  const char *owner_on_failure;
  // What a semaphore of it carries.
  const char *payload;
  // What a signal of such a semaphore reads of its parameters.
  const char *signal;
  // What a wait for it reads of them.
  const char *wait;
  // A semaphore's state after import.
  const char *initial_state;
  // Flags that must be set.
  const char *required_flags;
  // All flags that may be set.
  const char *allowed_flags;
  // What an export writes: so many bytes on this system, `never`, or `unspecified`.
  const char *exported_size;
  // What tells whether a device or platform has it.
  const char *capability_query;
  // The extension that brings it.
  const char *extension;
  // Whether a value of the handle stands for something special.
  bool has_special_value;
  // That value: -1 for a sync fd that is already signalled.
  int64_t special_value;
  // The same in Vulkan.
  const char *vulkan;
  // The same in Direct3D.
  const char *d3d;
  // The same in CUDA.
  const char *cuda;
  // The same in OpenCL.
  const char *opencl;
  // The first version that has it.
  const char *since;
  // The last one, where a newer one does not.
  const char *until;
} clcu_handle_type;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Makes a context of which nothing is known. The caller owns what is written to `context`, and frees it with `clcu_context_free`.
//
// # Safety
// `context` is null, or points to room for a pointer.
enum clcu_status clcu_context_new(struct clcu_context **context);

// Ends a context. Null does nothing.
//
// # Safety
// `context` is null, or came from `clcu_context_new`, was not freed, and is in use nowhere.
void clcu_context_free(struct clcu_context *context);

// Gives a fact that is one number, by its name: `semaphore_handle_type`, `semaphore_type`, `semaphore_imported` (0 or 1), `memory_handle_type`,
// `allocation_handle_types` (flags), `context_device_count`.
//
// # Safety
// `context` is a context that nobody else uses meanwhile, `name` a zero-terminated text; each may be null, which is an error.
enum clcu_status clcu_context_number(struct clcu_context *context,
                                     const char *name,
                                     uint64_t value);

// Gives a fact that is a set of numbers, by its name: `semaphore_export_types`, `import_types`, `export_types`. It takes the place of what
// was given before. A count of 0 says that there are none, which is not the same as not to know.
//
// # Safety
// As for `clcu_context_number`; `values` points to `count` numbers, and may be null if there are none.
enum clcu_status clcu_context_set(struct clcu_context *context, const char *name, const uint64_t *values, size_t count);

// Gives the extensions that the platform or device offers, by name. It takes the place of what was given before.
//
// # Safety
// `context` is a context that nobody else uses meanwhile; `names` points to `count` zero-terminated texts, and may be null if there are none.
enum clcu_status clcu_context_extensions(struct clcu_context *context,
                                         const char *const *names,
                                         size_t count);

// Gives the operating system: `linux` or `windows`.
//
// # Safety
// As for `clcu_context_number`.
enum clcu_status clcu_context_platform(struct clcu_context *context, const char *name);

// Gives the version of the API that the driver or device supports: 13 and 5 of CUDA 13.5.
//
// # Safety
// `context` is null or a context that nobody else uses meanwhile.
enum clcu_status clcu_context_version(struct clcu_context *context, uint16_t major, uint16_t minor);

// Waives the rule with this id for checks with this context: where a driver is known to accept more than its specification says. An id that no
// rule has is `CLCU_UNKNOWN_NAME`, so that a slip does not pass for a waiver.
//
// # Safety
// As for `clcu_context_number`.
enum clcu_status clcu_context_waive(struct clcu_context *context,
                                    const char *rule);

// Checks a record, such as a descriptor, by its name: `CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC`. `clcu_record_at` lists the names; `size` is its
// `sizeof`, by which another version of it is recognised. `context` may be null: then nothing is known. The caller owns what is written to
// `result`, and frees it with `clcu_result_free`.
//
// # Safety
// `context` is null or a context that nobody changes meanwhile; `name` is null or a zero-terminated text; `record` is null or points to `size`
// bytes, each of which was written (start from zeroed memory), with or without alignment; `result` is null or points to room for a pointer.
// Where a rule is about text behind a pointer of the record (`utf16_nul_terminated`), the pointer is null or leads to a text that ends
// with a zero.
enum clcu_status clcu_check_record(const struct clcu_context *context,
                                   const char *name,
                                   const void *record,
                                   size_t size,
                                   struct clcu_result **result);

// Checks the property list of a command by the rules that speak of the list alone: whether it is well-formed and terminated, which
// properties it has to have, how often, with which values. `parameter` names the list as upstream does: `sema_props`. `words` is null (no list), or
// points to `count` elements of the list's own type, its terminator included: no more are read. `context` may be null. The caller owns what
// is written to `result`, and frees it with `clcu_result_free`.
//
// # Safety
// As for `clcu_check_record`; `words` is null or points to `count` aligned elements of the list's type.
enum clcu_status clcu_check_property_list(const struct clcu_context *context,
                                          const char *command,
                                          const char *parameter,
                                          const void *words,
                                          size_t count,
                                          struct clcu_result **result);

// Ends a result, and every text that came from it. Null does nothing.
//
// # Safety
// `result` is null, or came from a check, was not freed, and is in use nowhere.
void clcu_result_free(struct clcu_result *result);

// How many rules are broken. 0 for null.
//
// # Safety
// `result` is null, or a result.
size_t clcu_result_violation_count(const struct clcu_result *result);

// How many rules could not be decided. They are listed where no rule is broken; 0 for null.
//
// # Safety
// `result` is null, or a result.
size_t clcu_result_not_checked_count(const struct clcu_result *result);

// The broken rule at `index`, which is below `clcu_result_violation_count`.
//
// # Safety
// `result` is null or a result, `violation` null or room for one.
enum clcu_status clcu_result_violation(const struct clcu_result *result, size_t index, struct clcu_violation *violation);

// The rule at `index` that was not checked, which is below `clcu_result_not_checked_count`.
//
// # Safety
// `result` is null or a result, `undecided` null or room for one.
enum clcu_status clcu_result_not_checked(const struct clcu_result *result, size_t index, struct clcu_undecided *undecided);

// What the broken rule at `index` says, on one line of text, copied into `buffer` with its terminating zero.
//
// `needed` gets the number of bytes that takes, the zero included, also where the buffer is too small; it may be null. A buffer that is too
// small gets as much of the text as fits, cut between characters and with a zero, and the status is `CLCU_BUFFER_TOO_SMALL`; with a `size` of
// 0 the buffer may be null and is left alone.
//
// # Safety
// `result` is null or a result; `buffer` points to `size` bytes, or is null; `needed` is null or room for a number.
enum clcu_status clcu_result_message(const struct clcu_result *result,
                                     size_t index,
                                     char *buffer,
                                     size_t size,
                                     size_t *needed);

// What a `clcu_status` says, in words. Any number may be asked for.
const char *clcu_status_text(int status);

// The version of this library: `0.1.0`.
const char *clcu_version(void);

// How many records can be checked on this system.
size_t clcu_record_count(void);

// The record at `index`, which is below `clcu_record_count`.
//
// # Safety
// `record` is null or room for one.
enum clcu_status clcu_record_at(size_t index, struct clcu_record *record);

// How many rules there are, of both APIs.
size_t clcu_rule_count(void);

// The rule at `index`, which is below `clcu_rule_count`.
//
// # Safety
// `rule` is null or room for one.
enum clcu_status clcu_rule_at(size_t index, struct clcu_rule *rule);

// Where the rule with this id is: an index for `clcu_rule_at`.
//
// # Safety
// `id` is null or a zero-terminated text, `index` null or room for a number.
enum clcu_status clcu_rule_find(const char *id, size_t *index);

// How many kinds of external handles there are, of both APIs.
size_t clcu_handle_type_count(void);

// The kind of handle at `index`, which is below `clcu_handle_type_count`.
//
// # Safety
// `handle_type` is null or room for one.
enum clcu_status clcu_handle_type_at(size_t index, struct clcu_handle_type *handle_type);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* CLCU_CHECK_H */
