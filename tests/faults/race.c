/* Two threads that call this touch the same memory, and nothing orders them: ThreadSanitizer must tell. */
static int shared;

int touch(int times) {
    for (int k = 0; k < times; k++) shared += k;
    return shared;
}
