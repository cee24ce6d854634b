package dev.sharding.demo.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import dev.sharding.demo.Marks;
import dev.sharding.demo.MergePatch;
import dev.sharding.demo.Names;
import dev.sharding.demo.RingSite;
import dev.sharding.demo.Waiting;
import dev.sharding.demo.chaos.Troupe.Member;
import io.fabric8.kubernetes.client.KubernetesClient;

/** What happens to shards and to their objects. */
final class ShardStrikes {

	/** How long after it a shard may be as slow as it likes. */
	private static final Duration AFTERMATH = Duration.ofMillis(1500);

	/** For how long watches show the past when the Lease is there again. */
	private static final Duration BLIND = Duration.ofSeconds(3);

	/** Hardly enough for the program itself. */
	private static final String LITTLE = "48m";

	private static final Duration POOR_WITHIN = Duration.ofSeconds(30);

	/** As large as an object gets before the API server or its store refuse it. */
	private static final String GIANT = "QUFB".repeat(220_000);

	private final Scene scene;

	private final Marks marks;

	ShardStrikes(Scene scene) {
		this.scene = scene;
		this.marks = scene.stage().marks();
	}

	/** What to do for a fault, to the shard that it strikes. */
	Strike of(Planned fault, Member shard) {
		Duration lasts = Duration.ofMillis(fault.lasts());
		return switch (fault.kind()) {
			case KILL_SHARD -> () -> replace(fault, shard, this.scene.troupe()::gone);
			case STOP_SHARD -> () -> replace(fault, shard, this.scene.troupe()::terminate);
			case PAUSE_SHARD -> () -> disturbing(user(shard), () -> {
				shard.actor().pause();
				Waiting.pause(lasts);
				shard.actor().resume();
			});
			case CUT_SHARD -> () -> disturbing(user(shard), () -> {
				shard.link().refuse();
				Waiting.pause(lasts);
				shard.link().heal();
			});
			case HALF_OPEN_SHARD -> () -> disturbing(user(shard), () -> {
				shard.link().blackHole();
				Waiting.pause(lasts);
				shard.link().heal();
			});
			case DELAY_SHARD -> () -> disturbing(user(shard), () -> {
				shard.link().delay(Duration.ofMillis(20 + fault.secret() % 10 * 20));
				holdBack(shard, lasts, shard.link()::heal);
			});
			case THROTTLE_SHARD -> () -> disturbing(user(shard), () -> {
				shard.link().throttle(4000 + fault.secret() % 10 * 4000);
				holdBack(shard, lasts, shard.link()::heal);
			});
			case BLIND_SHARD -> () -> disturbing(user(shard), () -> blind(shard, lasts));
			case WRONG_CLOCK -> () -> wrongClock(fault, shard);
			case LOW_MEMORY -> () -> lowMemory(fault, shard);
			case EDIT_LEASE ->
				() -> MergePatch.send(admin(), lease(fault, shard), "{\"spec\":{\"holderIdentity\":\"somebody\"}}");
			case DELETE_LEASE -> () -> admin().leases()
				.inNamespace(ring(fault).leaseNamespace())
				.withName(this.scene.troupe().shardName(shard))
				.delete();
			case REVOKE_RIGHTS -> () -> disturbing(user(shard), () -> {
				this.scene.stage().revoke(shard.actor());
				Waiting.pause(lasts);
				this.scene.stage().grant(shard.actor());
			});
			case SLOW_RECONCILE -> () -> disturbing(object(fault), () -> slow(fault));
			case GIANT_OBJECT -> () -> disturbing(object(fault), () -> giant(fault));
			case POISON_OBJECT -> () -> disturbing(object(fault), () -> poison(fault));
			default -> throw new IllegalArgumentException(fault.kind() + " strikes no shard");
		};
	}

	/** What to do for a fault that strikes a ring. */
	Strike of(Planned fault) {
		return (fault.kind() == Kind.SCALE) ? () -> scale(fault) : () -> rollOut(fault);
	}

	private void disturbing(String subject, Strike strike) throws Exception {
		this.marks.disturbed(subject);
		try {
			strike.run();
		}
		finally {
			Waiting.pause(AFTERMATH);
			this.marks.calm(subject);
		}
	}

	/**
	 * It has its Lease again, and its watches still show what was before it lost that.
	 */
	private void blind(Member shard, Duration lasts) {
		shard.link().pause();
		holdBack(shard, lasts, shard.link().link()::heal);
		Waiting.pause(BLIND);
		shard.link().heal();
	}

	/** What it sent comes late, as what a stopped process sends does. */
	private void holdBack(Member shard, Duration lasts, Runnable end) {
		this.marks.stopped(user(shard), Names.WORKERS);
		Waiting.pause(lasts);
		end.run();
		this.marks.resumed(user(shard));
	}

	/** Ahead or behind, by at most two thirds of a Lease. */
	private void wrongClock(Planned fault, Member shard) throws IOException {
		Troupe troupe = this.scene.troupe();
		troupe.terminate(troupe.dismiss(shard));
		int millis = (fault.secret() % 10 + 1) * 200 * ((fault.secret() % 2 == 0) ? 1 : -1);
		troupe.awaitStarted(troupe.startShard(fault.ring(), shard.name(),
				(role) -> role.with("DEMO_CLOCK_OFFSET_MILLIS", String.valueOf(millis))));
		Waiting.pause(Duration.ofMillis(fault.lasts()));
	}

	/** It may end for want of it, as any process may; then it just is not there. */
	private void lowMemory(Planned fault, Member shard) throws Exception {
		Troupe troupe = this.scene.troupe();
		troupe.terminate(troupe.dismiss(shard));
		Member poor = troupe.startShard(fault.ring(), shard.name(), (role) -> role.withHeap(LITTLE));
		disturbing(user(poor), () -> {
			boolean unused = Waiting.holds(POOR_WITHIN,
					() -> !poor.actor().isAlive() || this.scene.tail().hasLease(poor.actor().user()));
			Waiting.pause(Duration.ofMillis(fault.lasts()));
			troupe.terminate(troupe.forget(poor));
		});
		troupe.awaitStarted(troupe.startShard(fault.ring(), shard.name()));
	}

	private static String user(Member shard) {
		return shard.actor().user();
	}

	/** Every other time there is another name, as in a Deployment. */
	private void replace(Planned fault, Member shard, Consumer<Member> end) throws IOException {
		Troupe troupe = this.scene.troupe();
		end.accept(troupe.dismiss(shard));
		Waiting.pause(Duration.ofMillis(fault.lasts()));
		String name = (fault.secret() % 2 == 0) ? shard.name() : troupe.freshName(fault.ring());
		troupe.awaitStarted(troupe.startShard(fault.ring(), name));
	}

	private void rollOut(Planned fault) throws IOException {
		Troupe troupe = this.scene.troupe();
		for (Member old : troupe.shards(fault.ring())) {
			Member next = troupe.startShard(fault.ring(), troupe.freshName(fault.ring()));
			troupe.awaitReady(next);
			troupe.dismiss(old);
			// With slots it is the end of the old one that lets the next one begin.
			old.actor().terminate();
			troupe.awaitStarted(next);
			troupe.terminate(old);
		}
	}

	private void scale(Planned fault) throws IOException {
		Troupe troupe = this.scene.troupe();
		List<Member> leaving = troupe.shards(fault.ring());
		leaving.remove(0);
		leaving.forEach(troupe::dismiss);
		leaving.forEach((member) -> member.actor().terminate());
		leaving.forEach(troupe::terminate);
		Waiting.pause(Duration.ofMillis(fault.lasts()));
		List<Member> back = new ArrayList<>();
		for (Member member : leaving) {
			back.add(troupe.startShard(fault.ring(), member.name()));
		}
		back.forEach(troupe::awaitStarted);
	}

	private void slow(Planned fault) throws IOException {
		Path hold = Files.createDirectories(this.scene.logs().resolve("holds"))
			.resolve("hold.reconcile." + Names.secret(fault.secret()));
		Files.writeString(hold, "");
		Waiting.pause(Duration.ofMillis(fault.lasts()));
		Files.delete(hold);
	}

	private void giant(Planned fault) {
		patch(fault, "secrets/", "{\"data\":{\"giant\":\"" + GIANT + "\"}}");
		Waiting.pause(Duration.ofMillis(fault.lasts()));
		patch(fault, "secrets/", "{\"data\":{\"giant\":null}}");
	}

	/** Its checksums can never be written again, until somebody deletes them. */
	private void poison(Planned fault) {
		patch(fault, "configmaps/checksums-", "{\"immutable\":true}");
		Waiting.pause(Duration.ofMillis(fault.lasts()));
		String secret = Names.secret(fault.secret());
		admin().configMaps()
			.inNamespace(this.scene.extent().namespaceOf(secret))
			.withName("checksums-" + secret)
			.delete();
	}

	/** What comes and goes may just be gone. */
	private void patch(Planned fault, String resource, String patch) {
		String secret = Names.secret(fault.secret());
		MergePatch.response(admin(),
				"/api/v1/namespaces/%s/%s%s".formatted(this.scene.extent().namespaceOf(secret), resource, secret),
				patch);
	}

	private String object(Planned fault) {
		String secret = Names.secret(fault.secret());
		return this.scene.extent().namespaceOf(secret) + "/" + secret;
	}

	private String lease(Planned fault, Member shard) {
		return "/apis/coordination.k8s.io/v1/namespaces/" + ring(fault).leaseNamespace() + "/leases/"
				+ this.scene.troupe().shardName(shard);
	}

	private RingSite ring(Planned fault) {
		return this.scene.rings().get(fault.ring());
	}

	private KubernetesClient admin() {
		return this.scene.stage().admin();
	}

}
