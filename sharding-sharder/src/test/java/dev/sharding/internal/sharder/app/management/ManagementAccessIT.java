package dev.sharding.internal.sharder.app.management;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.sharder.SharderUser;
import dev.sharding.internal.sharder.app.SharderApplication;
import dev.sharding.internal.sharder.app.management.AccessReviews.Verdict;
import dev.sharding.internal.sharder.http.WebStack;
import dev.sharding.internal.sharder.tls.TestCertificates;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneBuilder;
import dev.sharding.test.ControlPlaneExtension;
import dev.sharding.test.CustomResourceDefinitions;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBinding;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Who may read metrics: a real API server says so, asked under the rights that the
 * manifests give the sharder.
 */
class ManagementAccessIT {

	@RegisterExtension
	static final ControlPlaneExtension controlPlaneExtension = ControlPlaneExtension
		.own((builder) -> builder.auditPolicy(ControlPlaneBuilder.AUDIT_EVERYTHING));

	private static final String PATH = "/actuator/prometheus";

	private final ControlPlane controlPlane;

	private final KubernetesClient client;

	private KubernetesClient sharder;

	private ConfigurableApplicationContext program;

	ManagementAccessIT(ControlPlane controlPlane, KubernetesClient client) {
		this.controlPlane = controlPlane;
		this.client = client;
	}

	@BeforeEach
	void install() {
		CustomResourceDefinitions.apply(this.client, "/dev/sharding/internal/sharder/ring/controllerrings.yaml");
		await().untilAsserted(() -> SharderUser.install(this.client));
		// The API server learns of roles a moment later.
		await().until(
				() -> this.client
					.resource(new SubjectAccessReviewBuilder().withNewSpec()
						.withUser(SharderUser.NAME)
						.withNewResourceAttributes()
						.withVerb("create")
						.withGroup("authorization.k8s.io")
						.withResource("subjectaccessreviews")
						.endResourceAttributes()
						.endSpec()
						.build())
					.create()
					.getStatus()
					.getAllowed());
		this.sharder = new KubernetesClientBuilder()
			.withConfig(
					new ConfigBuilder(this.client.getConfiguration()).withImpersonateUsername(SharderUser.NAME).build())
			.build();
	}

	@AfterEach
	void close() {
		if (this.program != null) {
			this.program.close();
		}
		this.sharder.close();
	}

	@Test
	void showsMetricsToWhoeverHasTheRightAndNobodyElse() throws Exception {
		start();
		String port = this.program.getEnvironment().getProperty("local.management.server.port");
		assertThat(status(port, PATH, null)).isEqualTo(401);
		assertThat(status(port, PATH, "Basic YTpi")).isEqualTo(401);
		assertThat(status(port, PATH, "Bearer nonsense")).isEqualTo(401);
		String reader = token("reader");
		assertThat(status(port, PATH, "Bearer " + reader)).isEqualTo(403);
		String permitted = token("permitted");
		permit("permitted");
		await().until(() -> status(port, PATH, "Bearer " + permitted) == 200);
		// What it has is the right to this path.
		assertThat(status(port, "/actuator/health", "Bearer " + permitted)).isEqualTo(403);
		assertThat(status(port, "/actuator/health", null)).isEqualTo(401);
		// The API server is not asked each time, but again after a minute, and after a
		// question that it did not answer.
		Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> {
			long asked = tokenReviews();
			for (int i = 0; i < 20; i++) {
				assertThat(status(port, PATH, "Bearer " + permitted)).isEqualTo(200);
			}
			return tokenReviews() <= asked + 1;
		});
		// Health needs none, and is all that the other port has.
		String main = this.program.getEnvironment().getProperty("local.server.port");
		assertThat(plainStatus(main, "/readyz")).isEqualTo(200);
		assertThat(plainStatus(main, PATH)).isEqualTo(404);
	}

	@Test
	void answersProbesWhileTheOtherListenerIsFull() throws Exception {
		start("--sharding.sharder.management.limits.connections=4",
				"--sharding.sharder.management.limits.handshakes=4");
		String port = this.program.getEnvironment().getProperty("local.management.server.port");
		String main = this.program.getEnvironment().getProperty("local.server.port");
		List<Socket> sockets = new ArrayList<>();
		try {
			for (int i = 0; i < 12; i++) {
				Socket socket = TestCertificates.trustingAll()
					.getSocketFactory()
					.createSocket("127.0.0.1", Integer.parseInt(port));
				sockets.add(socket);
				try {
					socket.getOutputStream().write(1);
				}
				catch (IOException refused) {
					// Above the limit.
				}
			}
			assertThat(plainStatus(main, "/readyz")).isEqualTo(200);
			assertThat(plainStatus(main, "/healthz")).isEqualTo(200);
		}
		finally {
			for (Socket socket : sockets) {
				socket.close();
			}
		}
	}

	@Test
	void aRightThatIsTakenAwayCountsForAMinuteAndANewOneAfterTenSeconds() throws Exception {
		AtomicLong nanos = new AtomicLong();
		AccessReviews reviews = reviews(nanos);
		String authorization = "Bearer " + token("passing");
		assertThat(check(reviews, authorization)).isEqualTo(Verdict.FORBIDDEN);
		ClusterRoleBinding right = permit("passing");
		await().until(() -> check(reviews(nanos), authorization) == Verdict.ALLOWED);
		nanos.addAndGet(AccessAnswers.DENIED_FOR.toNanos() - 1);
		assertThat(check(reviews, authorization)).isEqualTo(Verdict.FORBIDDEN);
		nanos.incrementAndGet();
		assertThat(check(reviews, authorization)).isEqualTo(Verdict.ALLOWED);
		this.client.resource(right).delete();
		await().until(() -> check(reviews(nanos), authorization) == Verdict.FORBIDDEN);
		nanos.addAndGet(AccessAnswers.ALLOWED_FOR.toNanos() - 1);
		assertThat(check(reviews, authorization)).isEqualTo(Verdict.ALLOWED);
		nanos.incrementAndGet();
		assertThat(check(reviews, authorization)).isEqualTo(Verdict.FORBIDDEN);
	}

	private AccessReviews reviews(AtomicLong nanos) {
		return new AccessReviews(new ApiRequests(this.sharder), this.sharder.getKubernetesSerialization(), nanos::get);
	}

	/* The API server is asked again where it did not answer in time. */
	private static Verdict check(AccessReviews reviews, String authorization) {
		return await().pollDelay(Duration.ZERO)
			.until(() -> reviews.check(authorization, "get", PATH).toCompletableFuture().get(60, TimeUnit.SECONDS),
					Objects::nonNull);
	}

	private void start(String... arguments) {
		List<String> all = new ArrayList<>(
				List.of("--server.port=0", "--server.address=127.0.0.1", "--management.server.port=0",
						"--management.server.address=127.0.0.1", "--sharding.sharder.management.secure=true",
						"--management.endpoint.health.group.readiness.include=readinessState",
						"--management.endpoints.web.exposure.include=health,prometheus"));
		all.addAll(List.of(arguments));
		SpringApplication application = new SpringApplication(Program.class);
		application.setDefaultProperties(Map.copyOf(SharderApplication.DEFAULTS));
		application.addInitializers((context) -> ((GenericApplicationContext) context)
			.registerBean(KubernetesClient.class, () -> this.sharder, (bean) -> bean.setDestroyMethodName("")));
		this.program = application.run(all.toArray(String[]::new));
	}

	private String token(String name) {
		this.client.serviceAccounts()
			.inNamespace("sharding-system")
			.resource(new ServiceAccountBuilder().withNewMetadata().withName(name).endMetadata().build())
			.serverSideApply();
		return this.client.serviceAccounts()
			.inNamespace("sharding-system")
			.withName(name)
			.tokenRequest(new TokenRequestBuilder().withNewSpec().withExpirationSeconds(3600L).endSpec().build())
			.getStatus()
			.getToken();
	}

	private ClusterRoleBinding permit(String name) {
		return this.client
			.resource(new ClusterRoleBindingBuilder().withNewMetadata()
				.withName("metrics-" + name)
				.endMetadata()
				.withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", "sharding:metrics-reader")
				.addNewSubject(null, "ServiceAccount", name, "sharding-system")
				.build())
			.create();
	}

	private long tokenReviews() throws IOException {
		return Files.readAllLines(this.controlPlane.apiServer().auditLog())
			.stream()
			.filter((line) -> line.contains("\"requestURI\":\"/apis/authentication.k8s.io/v1/tokenreviews\"")
					&& line.contains("\"stage\":\"ResponseComplete\""))
			.count();
	}

	/* A connection on which somebody was refused ends, so the next one takes another. */
	private static HttpClient http() {
		return HttpClient.newBuilder().sslContext(TestCertificates.trustingAll()).build();
	}

	private int status(String port, String path, String authorization) {
		HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + port + path))
			.timeout(Duration.ofSeconds(60));
		if (authorization != null) {
			request.header("Authorization", authorization);
		}
		return AskAgain.untilKnown(() -> http().send(request.build(), BodyHandlers.discarding())).statusCode();
	}

	private int plainStatus(String port, String path) throws IOException, InterruptedException {
		return http()
			.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
				.timeout(Duration.ofSeconds(60))
				.build(), BodyHandlers.discarding())
			.statusCode();
	}

	private static ConditionFactory await() {
		return Awaitility.await()
			.atMost(Duration.ofSeconds(60))
			.pollInterval(Duration.ofMillis(200))
			.ignoreExceptions();
	}

	/* No @Configuration, which tests of the whole program would find. */
	@EnableAutoConfiguration
	@EnableConfigurationProperties(ManagementProperties.class)
	@Import(ManagementConfiguration.class)
	static class Program {

		@Bean
		WebStack webStack() {
			return new WebStack();
		}

	}

}
