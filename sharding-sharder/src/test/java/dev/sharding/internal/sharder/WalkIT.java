package dev.sharding.internal.sharder;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.sharder.assignment.metadata.HandOverOrder;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page of walks leaves no class out: who is on the stack when the list of what has no
 * owner is asked for, and when the label is sent.
 */
@ControlPlaneTest
class WalkIT {

	private static final String ROOM = "dev.sharding.internal.sharder.assignment.";

	private final World world;

	private final Set<String> listing = new ConcurrentSkipListSet<>();

	private final Set<String> labelling = new ConcurrentSkipListSet<>();

	WalkIT(KubernetesClient client, @TestNamespace String namespace) {
		this.world = new World(client, namespace, "walk");
	}

	@AfterEach
	void close() {
		this.world.close();
	}

	@Test
	@DisplayName("From unassigned to labelled, for what was there before and for what is new, by no class that the page does not name")
	void namesWhoIsOnTheWay() throws IOException {
		this.world.secret("old");
		this.world.withRing()
			.run(new Sharder(this.world.client, World.AT_ONCE, Surroundings.usual(), this.world.metrics,
					InstantSource.system(), System::nanoTime, (request) -> {
						note(request);
						return null;
					}, HandOverOrder.CONTROLLED_OBJECTS_FIRST));
		this.world.shard("shard-a");
		World.await().until(() -> "shard-a".equals(this.world.secretShard("old")));
		this.world.secret("new");
		World.await().until(() -> "shard-a".equals(this.world.secretShard("new")));
		Set<String> named = named();
		assertThat(this.listing).contains("MetadataLists").isSubsetOf(named);
		assertThat(this.labelling).contains("Placer").isSubsetOf(named);
	}

	private void note(ApiRequest request) {
		if (!request.path().contains("/secrets")) {
			return;
		}
		if (request.method().equals("PATCH")) {
			this.labelling.addAll(onStack());
		}
		else if (String.valueOf(request.query().get("labelSelector")).contains("notin")) {
			this.listing.addAll(onStack());
		}
	}

	private static Set<String> onStack() {
		return StackWalker.getInstance()
			.walk((frames) -> frames.map(StackWalker.StackFrame::getClassName)
				.filter((name) -> name.startsWith(ROOM))
				.map((name) -> name.substring(ROOM.length()).replaceAll("^.*\\.|\\$.*", ""))
				.collect(Collectors.toCollection(TreeSet::new)));
	}

	private static Set<String> named() throws IOException {
		return Pattern.compile("(?m)^\\| \\d+ \\| `(\\w+)` \\|")
			.matcher(Files.readString(Path.of("..", "docs", "walks.md")))
			.results()
			.map((row) -> row.group(1))
			.collect(Collectors.toCollection(TreeSet::new));
	}

}
