package dev.sharding.internal.kubernetes.rest.http;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.atomic.AtomicReference;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;

/**
 * The JSON of the clients that we make. As the client by itself makes it, but known to be
 * so: it may read for a second client, whereas one of the user's making may have modules
 * that read a Lease in another way. It learns what a Lease is before all else.
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
		return takePlain();
	}

	/**
	 * Returns one for the Leases of a client beside another. It waits for nothing that
	 * the other learns.
	 * @param client the other client, of whosever making
	 * @return one that reads by that of {@code client} if it is one of ours
	 */
	public static KubernetesSerialization beside(KubernetesClient client) {
		return ((client.getKubernetesSerialization() instanceof Plain ours) ? ours : takePlain()).beside;
	}

	private static Plain takePlain() {
		Plain prepared = PREPARED.getAndSet(null);
		return (prepared != null) ? prepared : Plain.thatKnowsLeases();
	}

	/*
	 * Nobody can get at its mapper. What it is given to read is mostly in memory already;
	 * the usual way copies that into a buffer of 8 KiB, a new one for each object.
	 */
	private static final class Plain extends KubernetesSerialization {

		private final ObjectMapper mapper;

		private final Beside beside = new Beside(this);

		Plain() {
			this(new ObjectMapper());
		}

		private Plain(ObjectMapper mapper) {
			super(mapper, true);
			this.mapper = mapper;
		}

		@Override
		public <T> T unmarshal(InputStream stream, TypeReference<T> type) {
			if (!(stream instanceof ByteArrayInputStream bytes) || !isJson(bytes)) {
				return super.unmarshal(stream, type);
			}
			try {
				return this.mapper.readerFor(type).readValue(bytes);
			}
			catch (IOException ex) {
				throw KubernetesClientException.launderThrowable(ex);
			}
		}

		/** What begins otherwise is YAML. */
		private static boolean isJson(ByteArrayInputStream bytes) {
			bytes.mark(0);
			int first = bytes.read();
			while (first >= 0 && Character.isWhitespace(first)) {
				first = bytes.read();
			}
			bytes.reset();
			return first == '{' || first == '[';
		}

		static Plain thatKnowsLeases() {
			Plain plain = new Plain();
			plain.beside.clone(plain.unmarshal(LEASE, Lease.class));
			plain.unmarshal(REFUSAL, Status.class);
			return plain;
		}

	}

	/**
	 * Reads by another, which takes no lock for a class that it knows, but writes by a
	 * mapper of its own: while one learns to write a class, which may run code of the
	 * user, nobody can write anything with it.
	 */
	private static final class Beside extends KubernetesSerialization {

		private final KubernetesSerialization reader;

		Beside(KubernetesSerialization reader) {
			super(new ObjectMapper(), false);
			this.reader = reader;
		}

		@Override
		public <T> T unmarshal(InputStream stream, TypeReference<T> type) {
			return this.reader.unmarshal(stream, type);
		}

		@Override
		@SuppressWarnings("unchecked")
		public <T> T clone(T object) {
			return unmarshal(asJson(object), (Class<T>) object.getClass());
		}

	}

}
