package dev.sharding.internal.sharder.app;

import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import dev.sharding.internal.sharder.http.WebStack;
import dev.sharding.internal.sharder.tls.CertificateTerms;
import dev.sharding.internal.sharder.tls.ServingCertificate;
import dev.sharding.internal.sharder.tls.TestCertificates;
import dev.sharding.test.Ports;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whoever reaches the webhook keeps the kubelet from no answer. There is no API server.
 */
class BusyWebhookTests {

	private static final String KUBECONFIG = "kubeconfig";

	private static final int REVIEWS = 4;

	private static final String REVIEW = """
			{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "1",
			"resource": {"group": "", "version": "v1", "resource": "secrets"}, "object": {}}}""";

	private final ServingCertificate certificate = TestCertificates.create(Set.of("127.0.0.1"),
			CertificateTerms.DEFAULT, Instant.now());

	private final CountDownLatch busy = new CountDownLatch(1);

	private final CountDownLatch over = new CountDownLatch(1);

	private final Appender<ILoggingEvent> hold = holding();

	private final Logger reviews = (Logger) LoggerFactory
		.getLogger("dev.sharding.internal.sharder.webhook.AdmissionHandler");

	private final int port = Ports.next();

	private ConfigurableApplicationContext program;

	@BeforeEach
	void start(@TempDir Path folder) throws Exception {
		System.setProperty(KUBECONFIG, Files.writeString(folder.resolve("kubeconfig.yaml"), """
				apiVersion: v1
				kind: Config
				clusters: [{name: nobody, cluster: {server: "https://127.0.0.1:1"}}]
				users: [{name: nobody, user: {}}]
				contexts: [{name: nobody, context: {cluster: nobody, user: nobody}}]
				current-context: nobody
				""").toString());
		Path chain = folder.resolve("tls.crt");
		Path key = Files.writeString(folder.resolve("tls.key"), this.certificate.key());
		this.program = SharderApplication.create(Map.of())
			.run("--server.port=0", "--server.address=127.0.0.1", "--sharding.sharder.mode=webhook",
					"--sharding.sharder.webhook.bind-address=127.0.0.1", "--sharding.sharder.webhook.port=" + this.port,
					"--sharding.sharder.webhook.certificate=" + chain, "--sharding.sharder.webhook.key=" + key);
		takeALoop();
		Files.writeString(chain, this.certificate.certificate());
		Awaitility.await().atMost(Duration.ofSeconds(60)).ignoreExceptions().until(() -> {
			try (Socket socket = new Socket("127.0.0.1", this.port)) {
				return socket.isConnected();
			}
		});
		this.hold.start();
		this.reviews.setLevel(Level.DEBUG);
		this.reviews.addAppender(this.hold);
	}

	/*
	 * A listener has one event loop, and each thread that asks for one gets the next.
	 * After this it is the turn of that which the probes have.
	 */
	private void takeALoop() throws Exception {
		CountDownLatch taken = new CountDownLatch(1);
		WebStack stack = this.program.getBean("webStack", WebStack.class);
		Thread thread = new Thread(() -> stack.after(Duration.ofMillis(1), taken::countDown));
		thread.start();
		thread.join();
		assertThat(taken.await(60, TimeUnit.SECONDS)).isTrue();
	}

	@AfterEach
	void stop() {
		this.over.countDown();
		this.reviews.detachAppender(this.hold);
		this.reviews.setLevel(null);
		System.clearProperty(KUBECONFIG);
		this.program.close();
	}

	/* It stands for what a large body takes. */
	private Appender<ILoggingEvent> holding() {
		return new UnsynchronizedAppenderBase<>() {

			@Override
			protected void append(ILoggingEvent event) {
				BusyWebhookTests.this.busy.countDown();
				try {
					BusyWebhookTests.this.over.await();
				}
				catch (InterruptedException ex) {
					Thread.currentThread().interrupt();
				}
			}

		};
	}

	@Test
	void probesAreAnsweredWhileTheEventLoopOfTheWebhookIsBusy() throws Exception {
		List<CompletableFuture<Integer>> answers = new ArrayList<>();
		for (int i = 0; i < REVIEWS; i++) {
			answers.add(review());
		}
		assertThat(this.busy.await(60, TimeUnit.SECONDS)).isTrue();
		String health = "http://127.0.0.1:" + this.program.getEnvironment().getProperty("local.server.port");
		for (int i = 0; i < REVIEWS; i++) {
			// By a connection of its own, as the kubelet asks.
			assertThat(HttpClient.newHttpClient()
				.send(HttpRequest.newBuilder(URI.create(health + "/healthz")).timeout(Duration.ofSeconds(60)).build(),
						BodyHandlers.discarding())
				.statusCode()).isEqualTo(200);
		}
		assertThat(answers).noneMatch(CompletableFuture::isDone);
		this.over.countDown();
		for (CompletableFuture<Integer> answer : answers) {
			assertThat(answer.get(60, TimeUnit.SECONDS)).isEqualTo(200);
		}
	}

	private CompletableFuture<Integer> review() throws Exception {
		return HttpClient.newBuilder()
			.sslContext(TestCertificates.trusting(this.certificate))
			.version(HttpClient.Version.HTTP_1_1)
			.build()
			.sendAsync(HttpRequest
				.newBuilder(URI.create("https://127.0.0.1:" + this.port + "/webhooks/sharder/controllerring/a"))
				.header("Content-Type", "application/json")
				.POST(BodyPublishers.ofString(REVIEW))
				.build(), BodyHandlers.discarding())
			.thenApply((answer) -> answer.statusCode());
	}

}
