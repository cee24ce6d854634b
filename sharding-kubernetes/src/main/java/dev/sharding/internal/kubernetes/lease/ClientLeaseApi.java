package dev.sharding.internal.kubernetes.lease;

import java.util.function.Supplier;

import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import org.jspecify.annotations.Nullable;

/**
 * The calls for one Lease, made with a fabric8 client.
 */
final class ClientLeaseApi implements LeaseApi {

	private final KubernetesClient client;

	private final String namespace;

	private final String name;

	ClientLeaseApi(KubernetesClient client, String namespace, String name) {
		this.client = client;
		this.namespace = namespace;
		this.name = name;
	}

	@Override
	public @Nullable Lease get() {
		return call(() -> this.client.leases().inNamespace(this.namespace).withName(this.name).get());
	}

	@Override
	public Lease create(Lease lease) {
		return answered(call(() -> resource(lease).create()));
	}

	@Override
	public Lease update(Lease lease) {
		return answered(call(() -> resource(lease).update()));
	}

	private Resource<Lease> resource(Lease lease) {
		return this.client.leases().inNamespace(this.namespace).resource(lease);
	}

	private static Lease answered(@Nullable Lease lease) {
		if (lease == null) {
			throw new LeaseApiException(0, "the API server sent no Lease back", null);
		}
		return lease;
	}

	private static @Nullable Lease call(Supplier<@Nullable Lease> call) {
		try {
			return call.get();
		}
		catch (KubernetesClientException ex) {
			throw new LeaseApiException(ex.getCode(), reason(ex), ex);
		}
	}

	private static String reason(KubernetesClientException ex) {
		Status status = ex.getStatus();
		if (status != null && status.getReason() != null) {
			return (status.getMessage() != null) ? status.getReason() + ": " + status.getMessage() : status.getReason();
		}
		Throwable cause = ex;
		while (cause.getCause() != null) {
			cause = cause.getCause();
		}
		String message = cause.getMessage();
		return (message != null) ? message : cause.getClass().getSimpleName();
	}

}
