package dev.sharding.internal.kubernetes.rest.http;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

import com.sun.management.ThreadMXBean;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

import dev.sharding.internal.core.lease.RenewalTimings;
import dev.sharding.internal.kubernetes.lease.LeaseClients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

@Isolated("the next client takes what is prepared")
class ClientJsonTests {

	@Test
	void oneClientTakesThePreparedOne() {
		KubernetesSerialization prepared = ClientJson.prepare();
		assertThat(ClientJson.take()).isSameAs(prepared);
		assertThat(ClientJson.take()).isNotSameAs(prepared).isNotSameAs(ClientJson.take());
	}

	@Test
	void aClientOfTheUserLeavesThePreparedOneToItsLeases() {
		KubernetesSerialization prepared = ClientJson.prepare();
		try (KubernetesClient theirs = builder().build()) {
			ClientJson.beside(theirs);
		}
		assertThat(ClientJson.take()).isNotSameAs(prepared);
	}

	/** A buffer of 8 KiB for each would be more than all the rest. */
	@Test
	void whatIsInMemoryIsReadWithoutABuffer() {
		KubernetesSerialization json = ClientJson.take();
		byte[] object = "  {\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"}}".getBytes(StandardCharsets.UTF_8);
		for (int i = 0; i < 10; i++) {
			json.unmarshal(new ByteArrayInputStream(object), ConfigMap.class);
		}
		ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
		long before = threads.getCurrentThreadAllocatedBytes();
		for (int i = 0; i < 100; i++) {
			json.unmarshal(new ByteArrayInputStream(object), ConfigMap.class);
		}
		assertThat((threads.getCurrentThreadAllocatedBytes() - before) / 100).isLessThan(8 * 1024);
	}

	@Test
	void yamlAndStreamsAreReadAsEver() {
		KubernetesSerialization json = ClientJson.take();
		String yaml = "kind: ConfigMap\nmetadata:\n  name: a\n";
		assertThat(json.unmarshal(yaml, ConfigMap.class).getMetadata().getName()).isEqualTo("a");
		InputStream stream = new BufferedInputStream(
				new ByteArrayInputStream("{\"metadata\":{\"name\":\"b\"}}".getBytes(StandardCharsets.UTF_8)));
		assertThat(json.unmarshal(stream, ConfigMap.class).getMetadata().getName()).isEqualTo("b");
		assertThatExceptionOfType(KubernetesClientException.class)
			.isThrownBy(() -> json.unmarshal("{\"metadata\":", ConfigMap.class));
	}

	/* A class of the user may take its time to be loaded, for which both wait here. */
	@Test
	void aLeaseWaitsForNoClassThatTheUserWrites() {
		assertLeasesDoNotWait((json) -> json.asJson(new Written()), Written.LOADING, Written.LOADED);
	}

	@Test
	void aLeaseWaitsForNoClassThatTheUserReads() {
		assertLeasesDoNotWait((json) -> json.unmarshal("{}", Read.class), Read.LOADING, Read.LOADED);
	}

	private static void assertLeasesDoNotWait(Consumer<KubernetesSerialization> theirs, CountDownLatch loading,
			CountDownLatch loaded) {
		Lease lease = new LeaseBuilder().withNewMetadata()
			.withName("shard")
			.addToAnnotations("a", "b")
			.endMetadata()
			.withNewSpec()
			.withHolderIdentity("shard")
			.withRenewTime(ZonedDateTime.now(ZoneOffset.UTC).truncatedTo(ChronoUnit.MICROS))
			.endSpec()
			.build();
		Executor threads = (task) -> new Thread(task).start();
		try (KubernetesClient client = builder().withKubernetesSerialization(ClientJson.take()).build();
				KubernetesClient leases = LeaseClients.create(client, RenewalTimings.DEFAULTS)) {
			CompletableFuture<Void> data = CompletableFuture
				.runAsync(() -> theirs.accept(client.getKubernetesSerialization()), threads);
			await().atMost(Duration.ofMinutes(1)).until(() -> loading.getCount() == 0);
			CompletableFuture<Lease> copy = CompletableFuture
				.supplyAsync(() -> leases.getKubernetesSerialization().clone(lease), threads);
			try {
				await().atMost(Duration.ofMinutes(1)).until(copy::isDone);
				assertThat(data).isNotDone();
				assertThat(copy.join()).isEqualTo(lease);
			}
			finally {
				loaded.countDown();
				data.join();
			}
		}
	}

	private static KubernetesClientBuilder builder() {
		return new KubernetesClientBuilder().withConfig(Config.empty());
	}

	private static void load(CountDownLatch loading, CountDownLatch loaded) {
		loading.countDown();
		try {
			loaded.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/** What an object of the user has, and what is learnt with it. */
	public static final class Written {

		static final CountDownLatch LOADING = new CountDownLatch(1);

		static final CountDownLatch LOADED = new CountDownLatch(1);

		public @Nullable Slow slow;

		public enum Slow {

			ONLY;

			static {
				load(LOADING, LOADED);
			}

		}

	}

	/** The same, to be read. */
	public static final class Read {

		static final CountDownLatch LOADING = new CountDownLatch(1);

		static final CountDownLatch LOADED = new CountDownLatch(1);

		public @Nullable Slow slow;

		public enum Slow {

			ONLY;

			static {
				load(LOADING, LOADED);
			}

		}

	}

}
