/* A pool of threads: tasks are claimed one by one, so a thread that has no core delays nobody but
   by the task it holds. */

#pragma once

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#endif

typedef void (*Task)(void *context, int index);

static struct {
    _Atomic uint64_t ticket; /* epoch, number of tasks, next task: 24, 20 and 20 bits */
    _Atomic int done;
    _Atomic int awake; /* what sleepers wait on */
    _Atomic int sleepers;
    Task task;
    void *context;
    int workers;
} pool;

static inline void breathe(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static inline int claim(void) {
    uint64_t ticket = atomic_load_explicit(&pool.ticket, memory_order_acquire);
    while ((ticket & 0xFFFFF) < ((ticket >> 20) & 0xFFFFF))
        if (atomic_compare_exchange_weak_explicit(
                &pool.ticket, &ticket, ticket + 1, memory_order_acq_rel, memory_order_acquire))
            return (int)(ticket & 0xFFFFF);
    return -1;
}

static void nap(void) {
#ifdef __linux__
    int seen = atomic_load(&pool.awake);
    atomic_fetch_add(&pool.sleepers, 1);
    uint64_t ticket = atomic_load(&pool.ticket);
    if ((ticket & 0xFFFFF) >= ((ticket >> 20) & 0xFFFFF))
        syscall(SYS_futex, &pool.awake, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
    atomic_fetch_sub(&pool.sleepers, 1);
#else
    usleep(50);
#endif
}

static void *worker(void *unused) {
    for (int idle = 0;;) {
        int index = claim();
        if (index >= 0) {
            pool.task(pool.context, index);
            atomic_fetch_add_explicit(&pool.done, 1, memory_order_acq_rel);
            idle = 0;
        } else if (++idle < 4000) {
            breathe();
        } else {
            nap();
            idle = 0;
        }
    }
    return unused;
}

static void ensure_workers(int threads) {
    while (pool.workers < threads - 1 && pool.workers < 255) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, worker, NULL)) return;
        pthread_detach(thread);
        pool.workers++;
    }
}

/* One caller at a time (bedside_* take the lock). */
static void run(Task task, void *context, int tasks, int threads) {
    if (threads < 2 || tasks < 2) {
        for (int i = 0; i < tasks; i++) task(context, i);
        return;
    }
    pool.task = task, pool.context = context;
    atomic_store_explicit(&pool.done, 0, memory_order_relaxed);
    uint64_t epoch = (atomic_load(&pool.ticket) >> 40) + 1;
    atomic_store(&pool.ticket, epoch << 40 | (uint64_t)tasks << 20);
#ifdef __linux__
    if (atomic_load(&pool.sleepers)) {
        atomic_fetch_add(&pool.awake, 1);
        syscall(SYS_futex, &pool.awake, FUTEX_WAKE_PRIVATE, threads - 1, NULL, NULL, 0);
    }
#endif
    int index, own = 0;
    while ((index = claim()) >= 0) task(context, index), own++;
    atomic_fetch_add_explicit(&pool.done, own, memory_order_acq_rel);
    for (int waited = 0; atomic_load_explicit(&pool.done, memory_order_acquire) < tasks; waited++) {
        breathe();
        if (waited > 20000) sched_yield();
    }
}

