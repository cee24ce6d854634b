package dev.sharding.benchmarks.assignment;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;

import dev.sharding.internal.core.assignment.LabelPatch;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;

/**
 * What the client can do when it knows beforehand which objects to patch and thinks of
 * nothing: the same merge patches with the same preconditions, over the same connections.
 */
final class BareClient {

	private static final int CREATORS = 16;

	private final KubernetesClient client;

	private final ApiRequests requests;

	private final String ring;

	private final String namespace;

	BareClient(KubernetesClient client, String ring, String namespace) {
		this.client = client;
		this.requests = new ApiRequests(client);
		this.ring = ring;
		this.namespace = namespace;
	}

	void create(List<String> names, String owner) throws Exception {
		ExecutorService creators = Executors.newFixedThreadPool(CREATORS);
		try {
			List<Future<?>> created = new ArrayList<>();
			for (String name : names) {
				Secret secret = new SecretBuilder().withNewMetadata()
					.withName(name)
					.withNamespace(this.namespace)
					.addToLabels(ShardingLabels.shard(this.ring), owner)
					.endMetadata()
					.build();
				created.add(creators.submit(() -> this.client.resource(secret).create()));
			}
			for (Future<?> future : created) {
				future.get();
			}
		}
		finally {
			creators.shutdownNow();
		}
	}

	/** The objects as they are now: what a patch must know, nothing of it is timed. */
	List<Secret> list() {
		return this.client.secrets().inNamespace(this.namespace).list().getItems();
	}

	/** Gives all objects to one owner and returns when the last is answered. */
	void give(List<Secret> secrets, String owner, int concurrency) throws InterruptedException {
		ResourceType<Secret> type = ResourceType.of(Secret.class);
		Semaphore inFlight = new Semaphore(concurrency);
		List<CompletableFuture<?>> sent = new ArrayList<>();
		for (Secret secret : secrets) {
			LabelPatch patch = LabelPatch.assign(this.ring, owner, secret.getMetadata().getResourceVersion());
			inFlight.acquire();
			sent.add(this.requests
				.send(ApiRequest.of("PATCH", type.path(ObjectKey.of(secret)), LabelPatch.CONTENT_TYPE, patch.toJson())
					.accept(MediaTypes.METADATA))
				.whenComplete((response, failure) -> inFlight.release()));
		}
		CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)).join();
	}

}
