package dev.sharding.demo.chaos;

import java.io.IOException;
import java.time.Duration;

import dev.sharding.demo.Marks;
import dev.sharding.demo.Waiting;
import dev.sharding.demo.chaos.Troupe.Member;
import dev.sharding.test.TcpProxy;

/** What happens to sharders. There are always two, of which one leads. */
final class SharderStrikes {

	private static final Duration AFTERMATH = Duration.ofSeconds(2);

	private final Scene scene;

	SharderStrikes(Scene scene) {
		this.scene = scene;
	}

	/** What to do for a fault, to the sharder that leads. */
	Strike of(Planned fault, Member leader) {
		Duration lasts = Duration.ofMillis(fault.lasts());
		return switch (fault.kind()) {
			case KILL_LEADER -> () -> replace(leader, lasts);
			case STOP_LEADER -> () -> {
				terminate(leader);
				another(lasts);
			};
			case PAUSE_LEADER -> () -> disturbing(() -> {
				leader.actor().pause();
				Waiting.pause(lasts);
				leader.actor().resume();
			});
			case CUT_LEADER -> () -> disturbing(() -> {
				leader.link().refuse();
				Waiting.pause(lasts);
				leader.link().heal();
			});
			case ROLL_OUT_SHARDERS -> () -> {
				for (Member old : this.scene.troupe().sharders()) {
					another(Duration.ZERO);
					terminate(old);
				}
			};
			case WEBHOOK_OUTAGE -> () -> webhookOutage(lasts);
			case REMOVE_RESOURCE -> () -> removeResource(lasts);
			default -> throw new IllegalArgumentException(fault.kind() + " strikes no sharder");
		};
	}

	/**
	 * As long as the leader cannot act and is not followed, nobody gives objects owners.
	 */
	private void disturbing(Strike strike) throws Exception {
		Marks marks = this.scene.stage().marks();
		marks.disturbed(Marks.SHARDER);
		try {
			strike.run();
		}
		finally {
			Waiting.pause(AFTERMATH);
			marks.calm(Marks.SHARDER);
		}
	}

	/**
	 * Who creates waits for it no longer than its timeout, and what it misses the watch
	 * assigns: it excuses nothing. Every other one is silent, the rest are refused.
	 */
	private void webhookOutage(Duration lasts) {
		TcpProxy webhook = this.scene.troupe().webhook();
		if (lasts.toMillis() % 2 == 0) {
			webhook.refuse();
		}
		else {
			webhook.blackHole();
		}
		Waiting.pause(lasts);
		webhook.heal();
	}

	/** That somebody watches in vain what is not there holds up nothing else. */
	private void removeResource(Duration lasts) {
		Marks marks = this.scene.stage().marks();
		marks.disturbed(Widgets.PLURAL);
		Widgets.remove(this.scene.stage().admin());
		Waiting.pause(lasts);
		Widgets.define(this.scene.stage().admin());
		marks.calm(Widgets.PLURAL);
	}

	private void replace(Member leader, Duration after) throws IOException {
		this.scene.troupe().gone(this.scene.troupe().dismiss(leader));
		another(after);
	}

	private void another(Duration after) throws IOException {
		Waiting.pause(after);
		this.scene.troupe().awaitStarted(this.scene.troupe().startSharder());
	}

	private void terminate(Member member) {
		this.scene.troupe().terminate(this.scene.troupe().dismiss(member));
	}

}
