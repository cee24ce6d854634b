package dev.sharding.controlplane;

/**
 * The versions that everything here is tested with. The Go module file next to this class
 * names the same versions (a test compares them).
 */
public final class Pins {

	/** Version of kube-apiserver and kubectl, without a leading "v". */
	public static final String KUBERNETES = "1.36.3";

	/** Version of etcd, without a leading "v". */
	public static final String ETCD = "3.6.8";

	private Pins() {
	}

}
