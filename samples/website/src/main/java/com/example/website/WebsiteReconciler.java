package com.example.website;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import dev.sharding.cache.ResourceCache;
import dev.sharding.cache.ResourceCaches;
import dev.sharding.controller.Backoff;
import dev.sharding.controller.Cleaner;
import dev.sharding.controller.Conditions;
import dev.sharding.controller.ControllerCustomizer;
import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.EventRecorder;
import dev.sharding.controller.Reconciler;
import dev.sharding.controller.Result;
import dev.sharding.controller.ShardedController;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.PartialObjectMetadata;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.Deployment;

/** Has the world look as a website asks for. */
// region declaration
@ShardedController(owns = { ConfigMap.class, Deployment.class, Service.class }, specChangesOnly = true)
class WebsiteReconciler implements Reconciler<Website>, Cleaner<Website>, ControllerCustomizer<Website> {
// endregion

	// region metadata
	private static final ResourceType<PartialObjectMetadata> SECRETS = ResourceType.of(Secret.class).metadata();
	// endregion

	private static final String BY_CREDENTIALS = "credentials";

	private static final String READY = "Ready";

	private static final String PUBLISHED = "Published";

	private final ResourceCache<Website> websites;

	private final ResourceCache<ConfigMap> pages;

	private final ResourceCache<Deployment> servers;

	private final ResourceCache<Service> addresses;

	private final ResourceCache<PartialObjectMetadata> secrets;

	private final Dns dns;

	private final EventRecorder events;

	WebsiteReconciler(ResourceCaches caches, Dns dns, EventRecorder events) {
		this.websites = caches.of(Website.class);
		this.pages = caches.of(ConfigMap.class);
		this.servers = caches.of(Deployment.class);
		this.addresses = caches.of(Service.class);
		this.secrets = caches.of(SECRETS);
		this.dns = dns;
		this.events = events;
		// region index
		caches.index(ResourceType.of(Website.class), BY_CREDENTIALS,
				(website) -> credentialsOf(website).map(ObjectKey::toString).map(List::of).orElse(List.of()));
		// endregion
	}

	// region watch
	@Override
	public void customize(ControllerSpec.Builder<Website> controller) {
		controller.watches(SECRETS,
				(secret) -> this.websites.byIndex(BY_CREDENTIALS, ObjectKey.of(secret).toString())
					.stream()
					.map(ObjectKey::of)
					.toList());
		// endregion
		// region settings
		controller.select((website) -> !website.getMetadata().getLabels().containsKey("example.com/paused"));
		controller.backoff(new Backoff(Duration.ofMillis(50), Duration.ofMinutes(5), 0.2));
		// endregion
	}

	// region reconcile
	@Override
	public Result reconcile(Website website) {
		website.setStatus(website.statusOrNew());
		Optional<String> credentials = versionOfCredentials(website);
		if (credentials.isEmpty()) {
			this.events.warning(website, "CredentialsMissing", "Reconcile", "Its Secret is not there");
			note(website, READY, false, "CredentialsMissing", "Waiting for the Secret");
			return Result.done();
		}
		this.pages.ensure(website, Parts.page(website));
		this.addresses.ensure(website, Parts.address(website));
		Deployment server = this.servers.ensure(website, Parts.server(website, credentials.get()));
		publish(website);
		report(website, readyReplicas(server), website.getSpec().replicas);
		return Result.done();
	}
	// endregion

	// region outside
	/* It is noted in the status before it is done, so that whoever cleans up knows of it. It is done once. */
	private void publish(Website website) {
		WebsiteStatus status = website.getStatus();
		String host = website.getSpec().host;
		if (!host.equals(status.host)) {
			if (status.host != null) {
				this.dns.remove(status.host);
			}
			status.host = host;
			note(website, PUBLISHED, false, "Noted", "About to be published");
		}
		if (!Conditions.isTrue(status.conditions, PUBLISHED)) {
			this.dns.point(host, website.getMetadata().getName() + "." + website.getMetadata().getNamespace());
			note(website, PUBLISHED, true, "Published", "It is to be found at " + host);
			this.events.normal(website, "Published", "Reconcile", "It is to be found at " + host);
		}
	}
	// endregion

	// region status
	private void note(Website website, String condition, boolean state, String reason, String message) {
		WebsiteStatus status = website.getStatus();
		status.observedGeneration = website.getMetadata().getGeneration();
		status.conditions = Conditions.set(status.conditions,
				Conditions.of(website, condition, state, reason, message), Instant.now());
		this.websites.ensureStatus(website);
	}

	private void report(Website website, int ready, int wanted) {
		WebsiteStatus status = website.getStatus();
		boolean served = ready >= wanted;
		if (served && !Conditions.isTrue(status.conditions, READY)) {
			this.events.normal(website, "Served", "Reconcile", "All of its servers are ready");
		}
		status.readyReplicas = ready;
		note(website, READY, served, served ? "Served" : "Starting", "%d of %d servers are ready".formatted(ready, wanted));
	}
	// endregion

	// region cleanup
	@Override
	public String finalizer() {
		return "example.com/dns";
	}

	@Override
	public Result cleanUp(Website website) {
		String host = website.statusOrNew().host;
		if (host == null) {
			return Result.done();
		}
		this.dns.remove(host);
		return this.dns.knows(host) ? Result.requeueAfter(Duration.ofSeconds(1)) : Result.done();
	}
	// endregion

	// region credentials
	private Optional<String> versionOfCredentials(Website website) {
		Optional<ObjectKey> key = credentialsOf(website);
		return key.isEmpty() ? Optional.of("none")
				: this.secrets.get(key.get().namespace(), key.get().name())
					.map((secret) -> secret.getMetadata().getResourceVersion());
	}

	private static Optional<ObjectKey> credentialsOf(Website website) {
		return Optional.ofNullable(website.getSpec().credentials)
			.map((name) -> new ObjectKey(website.getMetadata().getNamespace(), name));
	}
	// endregion

	private static int readyReplicas(Deployment server) {
		return (server.getStatus() != null && server.getStatus().getReadyReplicas() != null)
				? server.getStatus().getReadyReplicas() : 0;
	}

}
