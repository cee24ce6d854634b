package dev.sharding.kubernetes.rest;

import java.util.concurrent.atomic.AtomicReference;

import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;

/**
 * The JSON of the clients that we make. As the client by itself makes it, but known to be
 * so: it may serve a second client, whereas one of the user's making may have modules
 * that write a Lease in another way. It learns what a Lease is before all else, so that
 * Leases wait for nothing that it learns later.
 */
public final class ClientJson {

	private static final String LEASE = "{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\",\"metadata\":{}}";

	private static final String REFUSAL = "{\"apiVersion\":\"v1\",\"kind\":\"Status\"}";

	private static final AtomicReference<@Nullable Plain> PREPARED = new AtomicReference<>();

	private ClientJson() {
	}

	/**
	 * Makes one ahead of the client that will have it, so that it can learn its first
	 * classes while the application starts.
	 * @return what the next {@link #take()} returns
	 */
	public static KubernetesSerialization prepare() {
		Plain plain = Plain.thatKnowsLeases();
		PREPARED.set(plain);
		return plain;
	}

	/**
	 * Returns one for a new client: the prepared one, once, as a client may get to know
	 * classes that go with its application.
	 * @return one that no other caller gets
	 */
	public static KubernetesSerialization take() {
		Plain prepared = PREPARED.getAndSet(null);
		return (prepared != null) ? prepared : Plain.thatKnowsLeases();
	}

	/**
	 * Returns one for a client beside another.
	 * @param client the other client, of whosever making
	 * @return that of {@code client} if it is one of ours, otherwise a new one
	 */
	public static KubernetesSerialization beside(KubernetesClient client) {
		KubernetesSerialization shared = client.getKubernetesSerialization();
		return (shared instanceof Plain) ? shared : Plain.thatKnowsLeases();
	}

	/* Nobody can get at its mapper. */
	private static final class Plain extends KubernetesSerialization {

		static Plain thatKnowsLeases() {
			Plain plain = new Plain();
			plain.asJson(plain.unmarshal(LEASE, Lease.class));
			plain.unmarshal(REFUSAL, Status.class);
			return plain;
		}

	}

}
