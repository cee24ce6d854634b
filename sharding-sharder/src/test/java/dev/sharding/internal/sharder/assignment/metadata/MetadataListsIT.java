package dev.sharding.internal.sharder.assignment.metadata;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

import dev.sharding.client.ApiException;
import dev.sharding.internal.core.assignment.ResourceRole;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.sharder.memory.MemoryPressure;
import dev.sharding.internal.sharder.memory.MemoryThrottle;
import dev.sharding.internal.sharder.ring.NamespaceFilter;
import dev.sharding.resource.ResourceType;
import dev.sharding.test.AnswerProxy;
import dev.sharding.test.AnswerProxy.Answer;
import dev.sharding.test.AnswerProxy.Request;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Lists of five pages that expire before they end.
 */
@ControlPlaneTest
class MetadataListsIT {

	private static final int OBJECTS = 4 * MetadataLists.PAGE_SIZE + 1;

	private static final ShardedResource CONFIG_MAPS = new ShardedResource(ResourceType.of(ConfigMap.class).metadata(),
			ResourceRole.MAIN);

	private final KubernetesClient client;

	private final String namespace;

	private final AnswerProxy proxy;

	private final KubernetesClient spoiled;

	private final MetadataLists lists;

	/* How often the list has begun, and how many pages have come since. */
	private final AtomicInteger begun = new AtomicInteger();

	private final AtomicInteger pages = new AtomicInteger();

	/* By how many pages have come. */
	private volatile IntPredicate expires = (came) -> false;

	MetadataListsIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.client = client;
		this.namespace = namespace;
		this.proxy = AnswerProxy.before(controlPlane.admin(), this::answer);
		this.spoiled = new KubernetesClientBuilder().withConfig(this.proxy.config()).build();
		RingScope scope = new RingScope("lists", Map.of(CONFIG_MAPS, List.of()), NamespaceFilter.excluding(List.of()),
				Set.of());
		this.lists = new MetadataLists(new ApiRequests(this.spoiled), scope, new MemoryThrottle(MemoryPressure.NONE))
			.in(namespace);
	}

	@BeforeEach
	void create() throws InterruptedException {
		each((name) -> this.client
			.resource(new ConfigMapBuilder().withNewMetadata()
				.withNamespace(this.namespace)
				.withName(name)
				.addToLabels("listed", "yes")
				.endMetadata()
				.build())
			.createOr((existing) -> existing.update()));
	}

	@AfterEach
	void close() throws InterruptedException {
		this.spoiled.close();
		this.proxy.close();
		each((name) -> this.client.configMaps().inNamespace(this.namespace).withName(name).delete());
	}

	private static void each(Consumer<String> task) throws InterruptedException {
		ExecutorService threads = Executors.newFixedThreadPool(12);
		IntStream.range(0, OBJECTS).forEach((i) -> threads.execute(() -> task.accept("c-" + i)));
		threads.shutdown();
		assertThat(threads.awaitTermination(4, TimeUnit.MINUTES)).isTrue();
	}

	@Test
	@DisplayName("Each time one page more comes before the list expires: it ends well, however often that is")
	void goOnWhileTheyGetFarther() throws Exception {
		this.expires = (came) -> came == this.begun.get();
		List<ShardedObject> last = new ArrayList<>();
		list(last).get(1, TimeUnit.MINUTES);
		assertThat(this.begun).hasValue(5);
		assertThat(last).extracting(ShardedObject::key).doesNotHaveDuplicates().hasSize(OBJECTS);
	}

	@Test
	@DisplayName("The list expires after its second page each time")
	void failWhereTheyGetNoFarther() {
		this.expires = (came) -> came == 2;
		assertThatThrownBy(() -> list(new ArrayList<>()).get(1, TimeUnit.MINUTES))
			.isInstanceOf(ExecutionException.class)
			.satisfies((failure) -> assertThat(ApiException.of(failure).status()).isEqualTo(410));
		assertThat(this.begun).hasValue(4);
	}

	/* Gives what came since the list began last. */
	private CompletableFuture<Void> list(List<ShardedObject> last) {
		return this.lists.list(CONFIG_MAPS, "listed", () -> false, (page) -> {
			if (page.first()) {
				last.clear();
			}
			last.addAll(page.objects());
			return CompletableFuture.completedFuture(null);
		});
	}

	private @Nullable Answer answer(Request request) {
		if (!request.query().contains("continue")) {
			this.begun.incrementAndGet();
			this.pages.set(1);
			return null;
		}
		return this.expires.test(this.pages.getAndIncrement()) ? new Answer(410, Map.of(), "{}") : null;
	}

}
