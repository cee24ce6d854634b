package dev.sharding.test;

/**
 * A program that starts a control plane, pauses its API server, and never ends by itself.
 * It prints the process ids of etcd and the API server.
 */
final class AbandonedControlPlane {

	private AbandonedControlPlane() {
	}

	public static void main(String... arguments) throws Exception {
		ControlPlane controlPlane = ControlPlane.start();
		controlPlane.apiServer().process().pause();
		System.out.println(controlPlane.etcd().process().pid().orElseThrow());
		System.out.println(controlPlane.apiServer().process().pid().orElseThrow());
		if (arguments.length == 0) {
			Thread.currentThread().join();
		}
		System.exit(0);
	}

}
