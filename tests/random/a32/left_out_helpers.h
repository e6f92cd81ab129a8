/* What left_out.def asks besides fields. */
