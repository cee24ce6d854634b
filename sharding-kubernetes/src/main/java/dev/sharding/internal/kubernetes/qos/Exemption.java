package dev.sharding.internal.kubernetes.qos;

import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.qos.spi.RequestTarget;

/**
 * Requests that no rule limits unless the application wants it so. Requests that are
 * about no resource, such as health checks, discovery and metrics, are never limited.
 */
public enum Exemption {

	/** Everything about Leases: they keep shards alive. */
	LEASES {

		@Override
		boolean covers(RequestTarget target, ApiRequest request) {
			return target.isInGroup("coordination.k8s.io");
		}

	},

	/**
	 * Questions of consistent reads that cost little whatever the scope holds (the
	 * present version, one object, a marker), and those that QoS itself asks. Their lists
	 * are no probes.
	 */
	PROBES {

		@Override
		boolean covers(RequestTarget target, ApiRequest request) {
			return request.exempt();
		}

	};

	abstract boolean covers(RequestTarget target, ApiRequest request);

}
