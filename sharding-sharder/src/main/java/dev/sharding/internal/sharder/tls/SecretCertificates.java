package dev.sharding.internal.sharder.tls;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.function.Consumer;

import dev.sharding.cache.InformerEvent;
import dev.sharding.client.ApiException;
import dev.sharding.internal.core.read.ResourceVersions;
import dev.sharding.internal.kubernetes.informer.Informer;
import dev.sharding.internal.kubernetes.informer.InformerSpec;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;
import dev.sharding.internal.sharder.tls.RotationLaw.Action;
import dev.sharding.internal.sharder.tls.RotationLaw.Step;
import dev.sharding.internal.sharder.watch.EventLoop;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Certificates of our own in a Secret that all replicas share. Whoever finds that
 * something is due makes it and writes it on top of the version that it saw; of several,
 * one succeeds and the others take over what it wrote.
 */
public final class SecretCertificates implements CertificateSource {

	private static final Logger log = LoggerFactory.getLogger(SecretCertificates.class);

	private static final Duration AGAIN = Duration.ofSeconds(2);

	/* What the watch shows for longer than it is behind our own writes counts. */
	private static final Duration BEHIND = Duration.ofSeconds(10);

	private static final Duration LOOK_AT_LEAST_EVERY = Duration.ofMinutes(10);

	private static final Duration SHORTEST_WAIT = Duration.ofMillis(50);

	private final ObjectKey name;

	private final ResourceType<Secret> type = ResourceType.of(Secret.class);

	private final CertificateRotation rotation;

	private final InstantSource clock;

	private final Consumer<ServingCertificate> listener;

	private final ApiRequests requests;

	private final KubernetesSerialization serialization;

	private final Informer<Secret> informer;

	private final EventLoop loop = new EventLoop("sharder-certificates");

	/* All below lives on the loop. */

	private @Nullable Secret latest;

	private @Nullable ServingCertificate told;

	private @Nullable Future<?> timer;

	private boolean listed;

	private boolean writing;

	private boolean doubted;

	private volatile @Nullable String problem;

	/**
	 * Creates a source.
	 * @param client the API server
	 * @param name namespace and name of the Secret
	 * @param hosts the DNS names and IP addresses that clients connect to
	 * @param terms how long certificates last
	 * @param clock the wall clock
	 * @param listener is told each certificate, on a thread of the source
	 */
	public SecretCertificates(KubernetesClient client, ObjectKey name, Set<String> hosts, CertificateTerms terms,
			InstantSource clock, Consumer<ServingCertificate> listener) {
		this.name = name;
		this.rotation = new CertificateRotation(terms, hosts);
		this.clock = clock;
		this.listener = listener;
		this.requests = new ApiRequests(client);
		this.serialization = client.getKubernetesSerialization();
		this.informer = new Informer<>(client,
				InformerSpec.of(this.type)
					.inNamespaces(Set.of(name.namespace()))
					.withFieldSelector("metadata.name=" + name.name()));
		this.informer.addHandler((event) -> this.loop.execute(() -> onEvent(event)));
		this.informer.addStatusListener((status) -> this.loop.execute(() -> {
			if (!this.listed && status.lastError() != null) {
				this.problem = status.lastError();
			}
		}));
	}

	@Override
	public void start() {
		this.informer.start();
		this.informer.synced().thenRun(() -> this.loop.execute(() -> {
			this.listed = true;
			this.problem = null;
			look();
		}));
	}

	@Override
	public @Nullable String problem() {
		return this.problem;
	}

	@Override
	public void close() {
		this.informer.close();
		this.loop.close();
	}

	private void onEvent(InformerEvent<Secret> event) {
		if (event instanceof InformerEvent.Added<Secret> added) {
			see(added.object());
		}
		else if (event instanceof InformerEvent.Updated<Secret> updated) {
			see(updated.after());
		}
		else if (event instanceof InformerEvent.Removed<Secret> removed) {
			Secret known = this.latest;
			if (known == null || known.getMetadata().getUid().equals(removed.last().getMetadata().getUid())) {
				this.latest = null;
			}
		}
		look();
	}

	private void see(Secret secret) {
		Secret known = this.latest;
		boolean older = known != null && known.getMetadata().getUid().equals(secret.getMetadata().getUid())
				&& ResourceVersions.compare(secret.getMetadata().getResourceVersion(),
						known.getMetadata().getResourceVersion()) == ResourceVersions.Order.BEFORE;
		if (!older) {
			this.latest = secret;
		}
		else if (!this.doubted) {
			this.doubted = true;
			this.loop.schedule(this::believe, BEHIND);
		}
	}

	/* The watch was behind, and has caught up; or etcd was restored. */
	private void believe() {
		this.doubted = false;
		this.latest = this.informer.store().get(this.name);
		look();
	}

	private void look() {
		if (!this.listed || this.writing) {
			return;
		}
		if (this.timer != null) {
			this.timer.cancel(false);
		}
		Secret secret = this.latest;
		CertificateSet set = (secret != null) ? CertificateSet.of(secret.getData()) : null;
		Instant now = this.clock.instant();
		Step step = this.rotation.next(set, now);
		if (set != null && step.action() != Action.BEGIN_ANEW && !tell(set)) {
			lookAgain(AGAIN);
			return;
		}
		if (step.action() == Action.WAIT) {
			Duration wait = Duration.between(now, step.due());
			lookAgain((wait.compareTo(LOOK_AT_LEAST_EVERY) > 0) ? LOOK_AT_LEAST_EVERY : wait.plus(SHORTEST_WAIT));
		}
		else {
			log.info("Renewing the certificates of the webhook secret={} step={}", this.name, step.action());
			write(secret, this.rotation.perform(step, set, now));
		}
	}

	private boolean tell(CertificateSet set) {
		ServingCertificate serving = set.serving();
		if (!serving.equals(this.told)) {
			try {
				this.listener.accept(serving);
			}
			catch (RuntimeException ex) {
				this.problem = ex.getMessage();
				return false;
			}
			this.told = serving;
			this.problem = null;
		}
		return true;
	}

	private void write(@Nullable Secret before, CertificateSet set) {
		this.writing = true;
		this.requests.send(request(before, set))
			.thenApply((response) -> this.serialization.unmarshal(response.stream(), Secret.class))
			.whenComplete((written, failure) -> this.loop.execute(() -> {
				this.writing = false;
				if (failure == null) {
					this.problem = null;
					see(written);
					look();
					return;
				}
				ApiException exception = ApiException.of(failure);
				if (exception.status() == 409) {
					// Another replica was faster: what it wrote comes by watch.
					log.debug("{}", exception.getMessage());
				}
				else {
					this.problem = exception.getMessage();
					log.warn("{}", exception.getMessage());
				}
				lookAgain(AGAIN);
			}));
	}

	private ApiRequest request(@Nullable Secret before, CertificateSet set) {
		Map<String, Object> metadata = new LinkedHashMap<>();
		metadata.put("name", this.name.name());
		metadata.put("namespace", this.name.namespace());
		if (before == null) {
			metadata.put("labels", Map.of(ShardingLabels.APP_NAME, ShardingLabels.APP_NAME_SHARDER));
			Map<String, Object> body = Map.of("apiVersion", "v1", "kind", "Secret", "type", "kubernetes.io/tls",
					"metadata", metadata, "data", set.data());
			return ApiRequest.of("POST", this.type.path(this.name.namespace(), null), MediaTypes.JSON,
					this.serialization.asJson(body));
		}
		metadata.put("uid", before.getMetadata().getUid());
		metadata.put("resourceVersion", before.getMetadata().getResourceVersion());
		return ApiRequest.of("PATCH", this.type.path(this.name), MediaTypes.MERGE_PATCH,
				this.serialization.asJson(Map.of("metadata", metadata, "data", set.data())));
	}

	private void lookAgain(Duration delay) {
		if (this.timer != null) {
			this.timer.cancel(false);
		}
		this.timer = this.loop.schedule(this::look, delay);
	}

}
