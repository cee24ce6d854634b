/**
 * A real control plane under tests. In: flags, feature gates, users and what should go
 * wrong (kill, pause, compact, delay). Out: clients and kubeconfigs for a kube-apiserver
 * and an etcd that run as child processes, listen on loopback only, and end with the JVM
 * (Linux and macOS). Tests start at {@link dev.sharding.test.ControlPlaneTest}, programs
 * at {@link dev.sharding.test.ControlPlane}.
 */
@NullMarked
package dev.sharding.test;

import org.jspecify.annotations.NullMarked;
