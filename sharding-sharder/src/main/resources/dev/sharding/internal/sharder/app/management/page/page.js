"use strict";

/* Shows what the stream brings. Text only ever becomes text: no name is read as HTML. */
(() => {
	const SILENT_AFTER = 5000;
	const AGAIN_AFTER = 2000;
	const MOST_TIMES = 250;

	const byId = (id) => document.getElementById(id);

	let source = null;
	let last = null;
	let heard = 0;
	/* How much later it is at the sharder than here. */
	let skew = 0;

	const now = () => Date.now() + skew;

	const field = (node, name) => node.matches(`[data-field=${name}]`) ? node : node.querySelector(`[data-field=${name}]`);

	const list = (node, name) => node.querySelector(`[data-list=${name}]`);

	const write = (node, text) => {
		if (node.textContent !== text) {
			node.textContent = text;
		}
	};

	const fill = (node, name, text) => write(field(node, name), text == null ? "" : String(text));

	const show = (node, shown) => {
		if (node.hidden === shown) {
			node.hidden = !shown;
		}
	};

	const count = (number, one, many = one + "s") => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;

	/* Nodes stay as long as their key does, so that nobody loses his place. */
	const keep = (parent, items, template, key, update) => {
		const before = new Map([...parent.children].map((child) => [child.dataset.key, child]));
		let place = parent.firstElementChild;
		items.forEach((item, index) => {
			const name = String(key(item, index));
			let node = before.get(name);
			if (!node) {
				node = byId(template).content.firstElementChild.cloneNode(true);
				node.dataset.key = name;
			}
			before.delete(name);
			if (node === place) {
				place = place.nextElementSibling;
			}
			else {
				parent.insertBefore(node, place);
			}
			update(node, item, index);
		});
		before.forEach((node) => node.remove());
	};

	const ago = (time) => {
		const seconds = Math.max(0, Math.round((now() - Date.parse(time)) / 1000));
		return seconds < 120 ? `${seconds} s ago` : seconds < 7200 ? `${Math.floor(seconds / 60)} min ago`
			: seconds < 172800 ? `${Math.floor(seconds / 3600)} h ago` : `${Math.floor(seconds / 86400)} days ago`;
	};

	const since = (node, time) => {
		node.dataset.since = time || "";
		write(node, time ? ago(time) : "");
	};

	const named = (object) => `${object.resource} ${object.namespace ? object.namespace + "/" : ""}${object.name}`;

	const grade = (badge, value) => {
		["good", "warn", "bad"].forEach((one) => badge.classList.toggle(one, one === value));
	};

	const stateGrade = (shard) => shard.state === "ready" ? "good" : shard.available ? "warn" : "bad";

	/* A person's order is no fault. */
	const isNote = (condition) => ["MovesAllowed", "ShardsUncordoned"].includes(condition.type);

	const total = (shard) => Object.values(shard.objects).reduce((sum, each) => sum + each, 0);

	const shares = (node, ring, shard, most) => {
		keep(list(node, "bars"), ring.resources, "bar", (resource) => resource.name, (bar, resource) => {
			bar.style.width = `${most ? 100 * (shard.objects[resource.name] || 0) / most : 0}%`;
		});
		const counts = ring.resources.map((resource) => `${(shard.objects[resource.name] || 0).toLocaleString("en")} ${resource.name}`);
		fill(node, "objects", counts.join(", ") + (shard.draining ? `; asked for ${shard.draining.toLocaleString("en")}` : ""));
	};

	const lease = (node) => {
		const expires = node.dataset.expires;
		const bar = field(node, "leaseBar");
		if (!expires) {
			bar.style.width = "0";
			fill(node, "lease", node.dataset.namespace ? "not held by the shard" : "none");
			return;
		}
		const left = (Date.parse(expires) - now()) / 1000;
		const whole = (Date.parse(expires) - Date.parse(node.dataset.renewed)) / 1000;
		bar.style.width = `${Math.max(0, Math.min(100, 100 * left / whole))}%`;
		bar.classList.toggle("low", left < whole / 3);
		const text = (seconds) => seconds < 600 ? `${Math.round(seconds)} s` : seconds < 172800 ? `${Math.round(seconds / 60)} min`
			: `${Math.round(seconds / 86400)} days`;
		fill(node, "lease", left > 0 ? `runs out in ${text(left)}` : `ran out ${text(-left)} ago`);
	};

	const shards = (node, ring) => {
		const most = Math.max(0, ...ring.shards.map(total));
		keep(list(node, "shards"), ring.shards, "shard", (shard) => `${shard.namespace}/${shard.name}`, (row, shard) => {
			fill(row, "name", shard.name);
			field(row, "name").title = shard.namespace ? `Lease ${shard.namespace}/${shard.name}` : "";
			fill(row, "pod", shard.pod && shard.pod !== shard.name ? `held by ${shard.pod}` : "");
			show(field(row, "cordoned"), shard.cordoned);
			fill(row, "member", shard.member);
			show(field(row, "member"), Boolean(shard.member));
			fill(row, "state", shard.state);
			grade(field(row, "state"), stateGrade(shard));
			fill(row, "doubt", shard.doubt);
			row.dataset.expires = shard.expires || "";
			row.dataset.renewed = shard.renewed || "";
			row.dataset.namespace = shard.namespace || "";
			lease(row);
			shares(row, ring, shard, most);
		});
		keep(list(node, "legend"), ring.resources, "key", (resource) => resource.name, (key, resource, index) => {
			field(key, "swatch").className = `swatch k${index % 4}`;
			fill(key, "name", resource.name + (resource.main ? "" : " (go with what controls them)"));
		});
	};

	const objects = (node, name, items) => {
		keep(list(node, name), items, "object", (object) => `${named(object)} ${object.state}`, (row, object) => {
			fill(row, "object", named(object));
			fill(row, "state", object.state);
			fill(row, "reason", object.reason);
			fill(row, "owner", object.owner || "nobody");
			since(field(row, "since"), object.since);
		});
	};

	const region = (node, name, label) => field(node, name).setAttribute("aria-label", label);

	const ringOf = (node, ring) => {
		const untrue = ring.conditions.filter((condition) => condition.status !== "True");
		const ready = ring.conditions.find((condition) => condition.type === "Ready");
		const isReady = Boolean(ready) && ready.status === "True";
		fill(node, "name", ring.name);
		node.setAttribute("aria-label", `Ring ${ring.name}`);
		fill(node, "ready", isReady ? "ready" : "not ready");
		grade(field(node, "ready"), isReady ? "good" : "bad");
		show(field(node, "paused"), ring.paused);
		const counted = ring.resources.map((resource) => resource.countedAt).filter(Boolean).sort()[0];
		const all = ring.resources.map((resource) => `${resource.objects.toLocaleString("en")} ${resource.name}`).join(", ");
		fill(node, "summary", `${ring.availableShards} of ${count(ring.shards.filter((shard) => shard.namespace).length, "shard")}`
			+ ` available. ${all || "No resources"}`
			+ (counted ? `, all counted ${ago(counted)}, and what the leader did since.` : ", by what the leader did so far: not all counted yet."));
		const without = ring.availableShards === 0 ? [{ type: "ShardAvailable", message: "Nobody reconciles.", status: "False" }] : [];
		keep(list(node, "untrue"), without.concat(untrue), "untrue", (condition) => condition.type, (item, condition) => {
			item.classList.toggle("note", isNote(condition));
			fill(item, "type", `${condition.type} is ${condition.status.toLowerCase()}`);
			fill(item, "message", condition.message);
		});
		show(field(node, "orphanBox"), ring.orphans.length > 0);
		fill(node, "orphanTitle", `${count(ring.orphans.length, "object")} without a shard that reconciles it`);
		region(node, "orphanScroll", "Objects without a shard that reconciles them");
		objects(node, "orphans", ring.orphans);
		shards(node, ring);
		const draining = ring.shards.reduce((sum, shard) => sum + shard.draining, 0);
		fill(node, "movingTitle", draining || ring.moving.length
			? `On the move: ${draining.toLocaleString("en")} asked for, ${ring.unowned.toLocaleString("en")} without owner`
			: "Nothing is on the move");
		show(field(node, "movingScroll"), ring.moving.length > 0);
		region(node, "movingScroll", "Objects on the move");
		objects(node, "moving", ring.moving);
		fill(node, "latestTitle", ring.latest.length ? "Latest" : "Nothing has moved since the leader began");
		show(field(node, "latestScroll"), ring.latest.length > 0);
		region(node, "latestScroll", "What happened last");
		keep(list(node, "latest"), ring.latest, "event", (event) => event.number, (row, event) => {
			since(field(row, "when"), event.at);
			fill(row, "what", event.what);
			fill(row, "object", named(event));
			fill(row, "from", event.from);
			fill(row, "to", event.to);
		});
		fill(node, "conditionTitle", `${count(ring.conditions.length, "condition")}, ${untrue.length} not true`);
		keep(list(node, "conditions"), ring.conditions, "condition", (condition) => condition.type, (row, condition) => {
			fill(row, "type", condition.type);
			fill(row, "status", condition.status);
			grade(field(row, "status"), condition.status === "True" ? "good" : isNote(condition) ? "warn" : "bad");
			fill(row, "message", condition.message);
			since(field(row, "since"), condition.since);
		});
	};

	const lines = (parent, texts) => {
		if ([...parent.children].map((child) => child.textContent).join("\n") === texts.join("\n")) {
			return;
		}
		parent.replaceChildren(...texts.map((text) => {
			const line = document.createElement("p");
			line.textContent = text;
			return line;
		}));
	};

	const render = (data) => {
		last = data;
		heard = Date.now();
		skew = Date.parse(data.at) - heard;
		const who = data.leader || "nobody as far as is known";
		write(byId("leader"), data.leading ? `${data.replica} leads${data.leaderSince ? ", since " + ago(data.leaderSince) : ""}`
			: `${data.replica} stands by. The leader is ${who}`);
		lines(byId("troubles"), [
			data.leading ? null : `This replica knows no rings. Ask the leader, ${who}: kubectl sharding ui finds it.`,
			data.trouble, data.webhook ? `Webhook: ${data.webhook}` : null,
			data.leading && !data.rings.length && !data.trouble ? "There is no ControllerRing." : null,
		].filter(Boolean));
		keep(byId("rings"), data.rings, "ring", (ring) => ring.name, ringOf);
		live();
	};

	const live = () => {
		const on = Date.now() - heard < SILENT_AFTER || Boolean(source) && source.readyState === EventSource.OPEN;
		byId("live").classList.toggle("on", on);
		write(byId("live"), on ? "Live" : last ? "Connection lost, trying again" : "Connecting");
	};

	/* A browser tries again by itself, but not after a refusal. */
	const connect = () => {
		source = new EventSource("events");
		source.addEventListener("message", (event) => render(JSON.parse(event.data)));
		source.addEventListener("open", live);
		source.addEventListener("error", () => {
			if (source.readyState === EventSource.CLOSED) {
				setTimeout(connect, AGAIN_AFTER);
			}
		});
	};

	connect();
	setInterval(() => {
		live();
		document.querySelectorAll("[data-expires]").forEach(lease);
		[...document.querySelectorAll("[data-since]")].slice(0, MOST_TIMES).forEach((node) => since(node, node.dataset.since));
	}, 1000);
})();
