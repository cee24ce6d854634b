package dev.sharding.controlplane;

/**
 * The versions that everything here is tested with. The Go module files next to this
 * class name the same versions (a test compares them).
 */
public final class Pins {

	/** Version of kube-apiserver and kubectl, without a leading "v". */
	public static final String KUBERNETES = "1.36.3";

	/** Version of etcd, without a leading "v". */
	public static final String ETCD = "3.6.8";

	/** Version of helm, without a leading "v". */
	public static final String HELM = "3.22.0";

	private Pins() {
	}

}
