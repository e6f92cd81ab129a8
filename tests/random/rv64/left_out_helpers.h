/* Functions that conditions in left_out.def call, besides fields. */
