// The module _processor: which processor this is, asked before the core is loaded. It has nothing but the C interface of Python,
// and is built without any -march.
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

namespace {

// The highest level of x86-64 that this processor has: 2, 3 or 4; 1 for older ones.
PyObject* level(PyObject*, PyObject*) {
  __builtin_cpu_init();
  const long found = __builtin_cpu_supports("x86-64-v4")   ? 4
                     : __builtin_cpu_supports("x86-64-v3") ? 3
                     : __builtin_cpu_supports("x86-64-v2") ? 2
                                                           : 1;
  return PyLong_FromLong(found);
}

PyMethodDef methods[] = {{"level", level, METH_NOARGS, "Return the highest level of x86-64 that this processor has."},
                         {nullptr, nullptr, 0, nullptr}};
PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_processor", nullptr, 0, methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__processor() { return PyModule_Create(&definition); }
