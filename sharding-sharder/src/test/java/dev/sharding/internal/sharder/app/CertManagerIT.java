package dev.sharding.internal.sharder.app;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import dev.sharding.internal.sharder.SharderUser;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneExtension;
import dev.sharding.test.CustomResourceDefinitions;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.util.FileSystemUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The overlay of docs/installation.md with cert-manager itself. The first build of that
 * takes Go some minutes.
 */
@Tag("long")
class CertManagerIT {

	@RegisterExtension
	static final ControlPlaneExtension controlPlaneExtension = ControlPlaneExtension.own((builder) -> {
	});

	private static final String SYSTEM = "sharding-system";

	private static final String SERVER = "webhook-server";

	private static final String AUTHORITY = "webhook-authority";

	private static final String LABEL = ShardingLabels.shard("checksums");

	private final ControlPlane controlPlane;

	private final KubernetesClient client;

	private final ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();

	private final List<AutoCloseable> started = new ArrayList<>();

	private final AtomicInteger created = new AtomicInteger();

	private final List<String> unassigned = new CopyOnWriteArrayList<>();

	CertManagerIT(ControlPlane controlPlane, KubernetesClient client) {
		this.controlPlane = controlPlane;
		this.client = client;
	}

	@AfterEach
	void close() throws Exception {
		this.executor.shutdownNow();
		for (AutoCloseable one : this.started) {
			one.close();
		}
	}

	@Test
	void theWebhookServesWhileCertManagerIssuesInjectsAndRenews() throws Exception {
		Path folder = Path.of("target", "cert-manager").toAbsolutePath();
		FileSystemUtils.deleteRecursively(folder);
		Files.createDirectories(folder);
		List<String> overlay = overlay();
		installRing();
		started(new CertManager(this.client, this.controlPlane.admin().kubeconfigFile(), folder));
		this.client.load(new ByteArrayInputStream(overlay.get(0).getBytes(StandardCharsets.UTF_8))).serverSideApply();
		renewedSoon();
		Path mount = folder.resolve("certs");
		MountedSecret mounted = started(new MountedSecret(this.client, SYSTEM, SERVER, mount));
		await().until(() -> mounted.certificates() > 0);
		startSharder(Serialization.unmarshal(overlay.get(1), Deployment.class), folder, mount);

		// What is created bears the label of a shard once the authority is injected.
		await().until(() -> isAssigned(create("probe")));
		assertThat(injected()).isEqualTo(secret(SERVER).getData().get("ca.crt"));
		int before = mounted.certificates();
		var load = this.executor.scheduleWithFixedDelay(this::createNext, 0, 50, TimeUnit.MILLISECONDS);
		await().until(() -> mounted.certificates() >= before + 3);
		load.cancel(false);
		assertThat(this.created).hasValueGreaterThan(100);
		assertThat(this.unassigned).isEmpty();

		// Who takes it out by hand finds it there again.
		webhook().edit((configuration) -> {
			configuration.getWebhooks().forEach((one) -> one.getClientConfig().setCaBundle(null));
			return configuration;
		});
		await().until(() -> isAssigned(create("probe")));

		// A new authority: what the webhook misses meanwhile the watch assigns.
		String former = injected();
		this.client.secrets().inNamespace(SYSTEM).withName(AUTHORITY).delete();
		await().until(() -> !injected().equals(former));
		await().until(() -> isAssigned(create("probe")));
		await().untilAsserted(
				() -> assertThat(this.client.secrets().inNamespace("default").list().getItems()).hasSizeGreaterThan(100)
					.allMatch(CertManagerIT::isAssigned));
	}

	/* The overlay's files, as the page has them. */
	private static List<String> overlay() throws IOException {
		String page = Files.readString(Path.of("..", "docs", "installation.md"));
		String[] blocks = page.substring(page.indexOf("\n### cert-manager\n")).split("```yaml\n");
		return Arrays.stream(blocks).skip(1).map((block) -> block.substring(0, block.indexOf("```"))).toList();
	}

	private void installRing() throws IOException {
		CustomResourceDefinitions.apply(this.client, "/dev/sharding/internal/sharder/ring/controllerrings.yaml");
		await().until(() -> this.client.load(Files.newInputStream(Path.of("..", "config", "example", "ring.yaml")))
			.serverSideApply() != null);
		SharderUser.install(this.client);
		ZonedDateTime now = ZonedDateTime.now(ZoneOffset.UTC);
		this.client.resource(new LeaseBuilder()
			.withMetadata(new ObjectMetaBuilder().withNamespace("default")
				.withName("shard-a")
				.addToLabels(ShardingLabels.LEASE_RING, "checksums")
				.addToAnnotations(ShardingLabels.INSTANCE_ID, "hand-made")
				.build())
			.withNewSpec()
			.withHolderIdentity("shard-a")
			.withLeaseDurationSeconds(600)
			.withAcquireTime(now)
			.withRenewTime(now)
			.endSpec()
			.build()).create();
	}

	/*
	 * No cluster is waited for: a certificate lasts a minute, and is for the address of
	 * this machine besides the name of a Service.
	 */
	private void renewedSoon() {
		certificates().edit((certificate) -> {
			Map<String, Object> spec = new HashMap<>(certificate.get("spec"));
			spec.putAll(Map.of("duration", "60s", "renewBefore", "40s", "ipAddresses", List.of("127.0.0.1")));
			certificate.setAdditionalProperty("spec", spec);
			return certificate;
		});
	}

	private Resource<GenericKubernetesResource> certificates() {
		return this.client.genericKubernetesResources("cert-manager.io/v1", "Certificate")
			.inNamespace(SYSTEM)
			.withName(SERVER);
	}

	private void startSharder(Deployment overlay, Path folder, Path mount) throws Exception {
		var container = overlay.getSpec().getTemplate().getSpec().getContainers().get(0);
		List<String> arguments = new ArrayList<>(container.getArgs());
		String mountPath = container.getVolumeMounts().get(0).getMountPath();
		container.getEnv()
			.forEach((variable) -> arguments.add("--" + variable.getName().toLowerCase(Locale.ROOT).replace('_', '.')
					+ "=" + variable.getValue().replace(mountPath, mount.toString())));
		Image image = Image.build(Files.createDirectories(folder.resolve("image")));
		ServiceStandIn service = started(new ServiceStandIn());
		Replica replica = started(new Replica(image, folder.resolve("sharder.log"),
				this.controlPlane.admin().kubeconfigFile(), "https://127.0.0.1:" + service.port(), arguments));
		await().until(replica::isReady);
		service.add(replica.webhookPort());
	}

	private <T extends AutoCloseable> T started(T one) {
		this.started.add(0, one);
		return one;
	}

	private void createNext() {
		String name = "s-" + this.created.incrementAndGet();
		if (!isAssigned(create(name))) {
			this.unassigned.add(name);
		}
	}

	private Secret create(String name) {
		return this.client
			.resource(new SecretBuilder().withNewMetadata()
				.withNamespace("default")
				.withName("probe".equals(name) ? name + "-" + System.nanoTime() : name)
				.endMetadata()
				.build())
			.create();
	}

	private static boolean isAssigned(HasMetadata object) {
		return "shard-a".equals(Objects.requireNonNullElse(object.getMetadata().getLabels(), Map.of()).get(LABEL));
	}

	private Secret secret(String name) {
		return this.client.secrets().inNamespace(SYSTEM).withName(name).get();
	}

	private String injected() {
		return Objects.requireNonNullElse(webhook().get().getWebhooks().get(0).getClientConfig().getCaBundle(), "");
	}

	private Resource<MutatingWebhookConfiguration> webhook() {
		return this.client.admissionRegistration()
			.v1()
			.mutatingWebhookConfigurations()
			.withName("controllerring-checksums");
	}

	private static ConditionFactory await() {
		return Awaitility.await().atMost(Duration.ofMinutes(2)).pollInterval(Duration.ofMillis(100)).ignoreExceptions();
	}

}
