package dev.sharding.shedlock;

import java.net.HttpURLConnection;
import java.util.function.Supplier;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import net.javacrumbs.shedlock.support.LockException;
import org.jspecify.annotations.Nullable;

/**
 * The calls for the Leases of locks. They block; what fails other than by a conflict is a
 * {@link LockException}.
 *
 * @param client calls
 * @param namespace where the Leases are
 */
record LockLeases(KubernetesClient client, String namespace) {

	@Nullable Lease get(String name) {
		return call("read", name, () -> this.client.leases().inNamespace(this.namespace).withName(name).get());
	}

	/** Writes a Lease; {@code null} if there is one already. */
	@Nullable Lease create(Lease lease) {
		return unlessChanged("create", lease,
				() -> this.client.leases().inNamespace(this.namespace).resource(lease).create());
	}

	/** Writes a Lease; {@code null} if it is no longer the one that was read. */
	@Nullable Lease update(Lease lease) {
		return unlessChanged("update", lease,
				() -> this.client.leases().inNamespace(this.namespace).resource(lease).update());
	}

	private @Nullable Lease unlessChanged(String operation, Lease lease, Supplier<@Nullable Lease> call) {
		return call(operation, lease.getMetadata().getName(), () -> {
			try {
				return call.get();
			}
			catch (KubernetesClientException ex) {
				boolean gone = ex.getCode() == HttpURLConnection.HTTP_NOT_FOUND && operation.equals("update");
				if (ex.getCode() == HttpURLConnection.HTTP_CONFLICT || gone) {
					return null;
				}
				throw ex;
			}
		});
	}

	private @Nullable Lease call(String operation, String name, Supplier<@Nullable Lease> call) {
		try {
			return call.get();
		}
		catch (RuntimeException ex) {
			throw new LockException(
					"Failed to %s Lease %s/%s: %s".formatted(operation, this.namespace, name, ex.getMessage()), ex);
		}
	}

}
