/**
 * The three programs of a control plane, and helm. In: the pins, the environment of the
 * user, and a listener for progress. Out: the paths of kube-apiserver, etcd and kubectl,
 * verified by running them. Called by the test support, the build and the demo.
 */
@NullMarked
package dev.sharding.controlplane;

import org.jspecify.annotations.NullMarked;
