package dev.sharding.internal.sharder.webhook;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import dev.sharding.client.ApiException;
import dev.sharding.internal.core.read.ResourceVersions;
import dev.sharding.internal.kubernetes.informer.Informer;
import dev.sharding.internal.kubernetes.informer.InformerSpec;
import dev.sharding.internal.kubernetes.informer.InformerStatus;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;
import dev.sharding.internal.kubernetes.rest.http.RequestGuard;
import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.internal.sharder.ring.WebhookReports;
import dev.sharding.internal.sharder.watch.EventLoop;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ResourceType;
import io.fabric8.kubernetes.api.model.PartialObjectMetadata;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one MutatingWebhookConfiguration per ring as it must be, also when somebody edits
 * or deletes it, and deletes those of rings that are gone. Works on a thread of its own,
 * and only while this process is the leader and can prove it.
 */
final class WebhookConfigurations implements AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(WebhookConfigurations.class);

	private static final String FIELD_MANAGER = "controllerring-controller";

	/* Also how soon a new leader begins, and the least time between two repairs. */
	private static final Duration PERIOD = Duration.ofSeconds(1);

	private static final Duration AFTER_FAILURE = Duration.ofSeconds(5);

	/*
	 * For so long the watch may be behind what was written. What it shows after that
	 * counts, as a restored etcd goes back.
	 */
	private static final Duration BEHIND = Duration.ofSeconds(10);

	/* How soon the leader sees trouble with the certificate, while it has none. */
	private static final Duration REST = Duration.ofSeconds(5);

	private final ResourceType<MutatingWebhookConfiguration> type = ResourceType.of(MutatingWebhookConfiguration.class);

	private final WebhookTemplate template;

	private final RingViews rings;

	private final boolean watching;

	private final Supplier<@Nullable RequestGuard> leading;

	private final KubernetesClient client;

	private final KubernetesSerialization serialization;

	private final Informer<PartialObjectMetadata> informer;

	private final EventLoop loop = new EventLoop("sharder-webhook-configurations");

	private final WebhookReports reports;

	private final Supplier<@Nullable String> certificateProblem;

	private final LongSupplier nanoTime;

	/* All below lives on the loop. */

	private final Map<String, Applied> applied = new HashMap<>();

	private final Set<String> busy = new HashSet<>();

	private @Nullable String caBundle;

	private boolean ready;

	private final CertificateTrouble trouble = new CertificateTrouble();

	/* What is wrong with the certificate after there was one, once it lasts. */
	private @Nullable String lost;

	WebhookConfigurations(KubernetesClient client, WebhookTemplate template, boolean watching, RingViews rings,
			Supplier<@Nullable RequestGuard> leading, WebhookReports reports,
			Supplier<@Nullable String> certificateProblem, LongSupplier nanoTime) {
		this.template = template;
		this.watching = watching;
		this.rings = rings;
		this.leading = leading;
		this.reports = reports;
		this.certificateProblem = certificateProblem;
		this.nanoTime = nanoTime;
		this.client = client;
		this.serialization = client.getKubernetesSerialization();
		this.informer = new Informer<>(client,
				InformerSpec.of(this.type.metadata()).withLabelSelector(ShardingLabels.LEASE_RING));
		this.informer.addHandler((event) -> changed());
	}

	/**
	 * Starts as soon as the rings are known.
	 */
	void start() {
		this.informer.start();
		this.loop.execute(this::tick);
	}

	/** The certificate is known: configurations may be written. */
	void serving(@Nullable String authorities) {
		this.loop.execute(() -> {
			this.caBundle = (authorities != null)
					? Base64.getEncoder().encodeToString(authorities.getBytes(StandardCharsets.UTF_8)) : null;
			this.ready = true;
			this.trouble.end();
			look();
		});
	}

	/** Something may have to be written. */
	void changed() {
		this.loop.execute(this::look);
	}

	@Override
	public void close() {
		this.informer.close();
		this.loop.close();
	}

	private void tick() {
		Duration pause = PERIOD;
		try {
			look();
			pause = isWell() ? REST : PERIOD;
		}
		finally {
			this.loop.schedule(this::tick, pause);
		}
	}

	/*
	 * Whatever else there is to do, an event tells; not that this process becomes the
	 * leader, and not why an informer does not start.
	 */
	private boolean isWell() {
		return this.ready && this.leading.get() != null && this.rings.isSynced() && this.informer.status().synced()
				&& this.certificateProblem.get() == null && this.lost == null;
	}

	private void look() {
		this.trouble.look(this.certificateProblem.get(), this.nanoTime.getAsLong());
		RequestGuard guard = this.leading.get();
		if (guard == null) {
			this.applied.clear();
			this.lost = null;
			this.reports.retain((ring) -> false);
			return;
		}
		if (!this.rings.isSynced()) {
			return;
		}
		if (!this.ready) {
			failed(this.certificateProblem.get());
			return;
		}
		InformerStatus watch = this.informer.status();
		if (!watch.synced()) {
			failed(watch.lastError());
			return;
		}
		lookAtTheCertificate();
		ApiRequests requests = new ApiRequests(this.client, guard);
		Map<String, PartialObjectMetadata> live = new HashMap<>();
		this.informer.store().list().forEach((found) -> live.put(found.getMetadata().getName(), found));
		Set<String> wanted = new HashSet<>();
		for (ControllerRing ring : this.rings.rings()) {
			String name = WebhookConfigurationLaw.name(ring.getMetadata().getName());
			wanted.add(name);
			see(name, ring, live.get(name), watch.watermark(), requests);
		}
		live.forEach((name, found) -> {
			if (!wanted.contains(name) && isOurs(found)) {
				delete(name, found, requests);
			}
		});
		this.applied.keySet().retainAll(wanted);
		this.reports.retain((ring) -> wanted.contains(WebhookConfigurationLaw.name(ring)));
	}

	/*
	 * The configurations are kept meanwhile, as the certificate before may still do. Once
	 * it is well, each is applied again and says how it fares.
	 */
	private void lookAtTheCertificate() {
		String now = this.trouble.lasting();
		if (this.lost != null && now == null) {
			this.applied.clear();
		}
		this.lost = now;
		failed(now);
	}

	/* What holds for all rings, or nothing. */
	private void failed(@Nullable String problem) {
		if (problem != null) {
			Set<String> names = new HashSet<>();
			this.rings.rings().forEach((ring) -> names.add(ring.getMetadata().getName()));
			this.reports.retain(names::contains);
			names.forEach((name) -> this.reports.failed(name, problem));
		}
	}

	private void see(String name, ControllerRing ring, @Nullable PartialObjectMetadata live, @Nullable String told,
			ApiRequests requests) {
		Applied before = this.applied.get(name);
		Wanted now = new Wanted(ring.getMetadata().getUid(), ring.getMetadata().getGeneration(), this.caBundle);
		if (before == null || !before.wanted.equals(now)) {
			apply(name, ring, now, false, requests);
		}
		else if ((live == null || !before.version.equals(live.getMetadata().getResourceVersion()))
				&& !isBehind(told, before)) {
			apply(name, ring, now, true, requests);
		}
	}

	/* Whether the watch has not told yet of what was written. */
	private boolean isBehind(@Nullable String told, Applied written) {
		return this.nanoTime.getAsLong() - written.nanos < BEHIND.toNanos()
				&& (told == null || ResourceVersions.compare(told, written.version) == ResourceVersions.Order.BEFORE);
	}

	private void apply(String name, ControllerRing ring, Wanted wanted, boolean repair, ApiRequests requests) {
		if (!this.busy.add(name)) {
			return;
		}
		MutatingWebhookConfiguration configuration = WebhookConfigurationLaw.of(ring, this.template, this.watching,
				wanted.caBundle);
		ApiRequest request = ApiRequest
			.of("PATCH", this.type.path(null, name), MediaTypes.APPLY_PATCH, this.serialization.asJson(configuration))
			.accept(MediaTypes.METADATA)
			.query("fieldManager", FIELD_MANAGER)
			.query("force", "true");
		String ringName = ring.getMetadata().getName();
		requests.send(request)
			.thenApply((response) -> this.serialization.unmarshal(response.stream(), PartialObjectMetadata.class))
			.whenComplete((written, failure) -> this.loop.execute(() -> {
				if (failure != null) {
					ApiException exception = ApiException.of(failure);
					log.warn("{} ring={}", exception.getMessage(), ringName);
					report(ringName, String.valueOf(exception.getMessage()));
					free(name, AFTER_FAILURE);
					return;
				}
				String version = Objects.requireNonNull(written).getMetadata().getResourceVersion();
				Applied before = this.applied.put(name, new Applied(wanted, version, this.nanoTime.getAsLong()));
				if (before == null || !before.version.equals(version)) {
					log.info("{} MutatingWebhookConfiguration name={} ring={}", repair ? "Repaired" : "Applied", name,
							ringName);
				}
				report(ringName, null);
				free(name, PERIOD);
			}));
	}

	private void report(String ring, @Nullable String problem) {
		String reason = (this.lost != null) ? this.lost : problem;
		if (reason != null) {
			this.reports.failed(ring, reason);
		}
		else {
			this.reports.succeeded(ring);
		}
	}

	private void delete(String name, PartialObjectMetadata found, ApiRequests requests) {
		if (!this.busy.add(name)) {
			return;
		}
		String body = this.serialization.asJson(Map.of("preconditions", Map.of("uid", found.getMetadata().getUid())));
		requests.send(ApiRequest.of("DELETE", this.type.path(null, name), MediaTypes.JSON, body))
			.whenComplete((done, failure) -> this.loop.execute(() -> {
				if (failure != null && ApiException.of(failure).status() != 404) {
					log.warn("{}", ApiException.of(failure).getMessage());
					free(name, AFTER_FAILURE);
				}
				else {
					log.info("Deleted MutatingWebhookConfiguration of a ring that is gone name={}", name);
					free(name, PERIOD);
				}
			}));
	}

	/* A wait in between, so that a dispute with somebody else costs little. */
	private void free(String name, Duration delay) {
		this.loop.schedule(() -> {
			this.busy.remove(name);
			look();
		}, delay);
	}

	private static boolean isOurs(PartialObjectMetadata found) {
		Map<String, String> labels = found.getMetadata().getLabels();
		String ring = (labels != null) ? labels.get(ShardingLabels.LEASE_RING) : null;
		return ring != null && labels.containsKey(ShardingLabels.APP_NAME)
				&& found.getMetadata().getName().equals(WebhookConfigurationLaw.name(ring));
	}

	/**
	 * What a configuration is made of, as far as it changes.
	 */
	private record Wanted(String uid, Long generation, @Nullable String caBundle) {
	}

	/**
	 * What was written last, the version that came of it, and when.
	 */
	private record Applied(Wanted wanted, String version, long nanos) {
	}

}
