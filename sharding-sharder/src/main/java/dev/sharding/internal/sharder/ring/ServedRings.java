package dev.sharding.internal.sharder.ring;

import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

import dev.sharding.client.ApiException;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;
import dev.sharding.resource.GroupResource;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which resources may carry the labels of which ring, kept in a ConfigMap beside the
 * Lease of the leader, so that a leader finds out what left a ring while there was none.
 * Safe for use by any thread.
 */
public final class ServedRings {

	private static final Logger log = LoggerFactory.getLogger(ServedRings.class);

	/** The name of the ConfigMap. */
	public static final String NAME = "sharder-rings";

	private static final String SEPARATOR = ",";

	private final ApiRequests requests;

	private final KubernetesSerialization serialization;

	private final String path;

	/* One write after the other, so that the last one counts. */
	private CompletableFuture<?> latest = CompletableFuture.completedFuture(null);

	/**
	 * Creates the account.
	 * @param requests sends what is to be sent
	 * @param serialization reads and writes JSON
	 * @param namespace where the ConfigMap is
	 */
	public ServedRings(ApiRequests requests, KubernetesSerialization serialization, String namespace) {
		this.requests = requests;
		this.serialization = serialization;
		this.path = "/api/v1/namespaces/" + namespace + "/configmaps";
	}

	/**
	 * Reads what was written, by this process or by others.
	 * @return the resources by the name of their ring; nothing if it may not be read. It
	 * fails if the API server cannot be asked
	 */
	public CompletableFuture<Map<String, Set<GroupResource>>> read() {
		return this.requests.send(ApiRequest.of("GET", this.path + "/" + NAME)).handle((response, failure) -> {
			if (failure == null) {
				return parse(this.serialization.unmarshal(response.stream(), ConfigMap.class).getData());
			}
			ApiException exception = ApiException.of(failure);
			if (exception.status() == 404) {
				return Collections.emptyMap();
			}
			if (exception.status() == 403) {
				log.warn("{}. Labels of rings that changed while no sharder ran are left", exception.getMessage());
				return Collections.emptyMap();
			}
			throw exception;
		});
	}

	/**
	 * Writes which resources may carry the labels of a ring. A failure is logged.
	 * @param ring the name of the ring
	 * @param resources the resources; none if the ring is to be forgotten
	 * @return whether it was written; never fails
	 */
	public synchronized CompletableFuture<Boolean> write(String ring, Collection<GroupResource> resources) {
		Map<String, Object> data = new HashMap<>();
		data.put(ring, resources.isEmpty() ? null
				: resources.stream().map(GroupResource::toString).sorted().collect(Collectors.joining(SEPARATOR)));
		CompletableFuture<Boolean> written = this.latest.thenCompose((before) -> patch(data, !resources.isEmpty()))
			.handle((done, failure) -> {
				if (failure != null) {
					log.warn("{}. Should the ring change while no sharder runs, its labels are left ring={}",
							ApiException.of(failure).getMessage(), ring);
				}
				return failure == null;
			});
		this.latest = written;
		return written;
	}

	private CompletableFuture<Void> patch(Map<String, Object> data, boolean create) {
		CompletableFuture<Void> done = new CompletableFuture<>();
		this.requests.send(ApiRequest.of("PATCH", this.path + "/" + NAME, MediaTypes.MERGE_PATCH,
				this.serialization.asJson(Map.of("data", data))))
			.whenComplete((response, failure) -> {
				if (failure == null) {
					done.complete(null);
				}
				else if (ApiException.of(failure).status() != 404) {
					done.completeExceptionally(failure);
				}
				else if (!create) {
					done.complete(null);
				}
				else {
					create(data, done);
				}
			});
		return done;
	}

	private void create(Map<String, Object> data, CompletableFuture<Void> done) {
		Map<String, Object> body = Map.of("apiVersion", "v1", "kind", "ConfigMap", "metadata", Map.of("name", NAME),
				"data", data);
		this.requests.send(ApiRequest.of("POST", this.path, MediaTypes.JSON, this.serialization.asJson(body)))
			.whenComplete((response, failure) -> {
				if (failure == null) {
					done.complete(null);
				}
				else {
					done.completeExceptionally(failure);
				}
			});
	}

	/**
	 * Reads what was written.
	 * @param data what the ConfigMap holds
	 * @return the resources by the name of their ring
	 */
	public static Map<String, Set<GroupResource>> parse(Map<String, String> data) {
		Map<String, Set<GroupResource>> rings = new HashMap<>();
		data.forEach((ring, names) -> {
			Set<GroupResource> resources = new LinkedHashSet<>();
			for (String name : names.split(SEPARATOR, -1)) {
				if (!name.isEmpty()) {
					int dot = name.indexOf('.');
					resources.add((dot < 0) ? new GroupResource("", name)
							: new GroupResource(name.substring(dot + 1), name.substring(0, dot)));
				}
			}
			rings.put(ring, resources);
		});
		return rings;
	}

}
