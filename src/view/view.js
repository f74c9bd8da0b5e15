// The view of a run: its scene, its plots and its time, drawn on canvases. rittView(root, data) fills the element root and
// returns an object with update(data), which keeps the camera, and stop(). The data is what ritti_view_write_data writes.
// Options: within: keys work only inside root; bare: the page around it has its own title; play: false: do not begin to play.
function rittView(root, data, options) {
  'use strict';
  options = options || {};

  // ---- the data ----------------------------------------------------------------------------------------------------------

  function bytes(text) {
    var raw = atob(text), out = new Uint8Array(raw.length);
    for (var i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
    return out.buffer;
  }
  var x, column, rows, first, last, backward, bounds, space, panels;

  // The value of a column between the rows i and i + 1.
  function value(c, i, part) {
    var v = column[c];
    if (typeof v === 'number') return v;
    if (v === null) return NaN;
    if (part === 0 || i + 1 >= rows) return v[i];
    return v[i] + (v[i + 1] - v[i]) * part;
  }

  // The row before a time, and the part of the way to the next one.
  var moment = { i: 0, part: 0 };
  function seek(t) {
    var low = 0, high = rows - 1;
    while (high - low > 1) {
      var middle = (low + high) >> 1;
      if (backward ? x[middle] >= t : x[middle] <= t) low = middle;
      else high = middle;
    }
    var width = rows > 1 ? x[low + 1] - x[low] : 0;
    var part = width !== 0 ? (t - x[low]) / width : 0;
    return { i: low, part: Math.min(1, Math.max(0, part)) };
  }

  function place(list, at, out) {
    out[0] = value(list[0], at.i, at.part);
    out[1] = value(list[1], at.i, at.part);
    out[2] = list.length > 2 ? value(list[2], at.i, at.part) : 0;
    return out;
  }
  function number(list, at, otherwise) { return list ? value(list[0], at.i, at.part) : otherwise; }

  function load(next) {
    data = next;
    rows = data.rows;
    x = new Float64Array(bytes(data.x));
    column = data.columns.map(function (c) { return typeof c === 'string' ? new Float32Array(bytes(c)) : c; });
    first = rows ? x[0] : 0;
    last = rows ? x[rows - 1] : 1;
    backward = last < first;
    space = data.figures.some(function (f) { return f.at[0].length === 3; });
    measure();
    panels = [];
    data.curves.forEach(function (c) {
      (panels[c.panel] = panels[c.panel] || { curves: [] }).curves.push(c);
    });
    panels = panels.filter(function (p) { return p; });
    panels.forEach(measurePanel);
  }

  // The box that contains the scene at all times.
  function measure() {
    var p = [0, 0, 0], d = [0, 0, 0];
    bounds = { low: [Infinity, Infinity, Infinity], high: [-Infinity, -Infinity, -Infinity] };
    function reach(q, r) {
      for (var k = 0; k < 3; k++) {
        if (!isFinite(q[k])) continue;
        bounds.low[k] = Math.min(bounds.low[k], q[k] - r);
        bounds.high[k] = Math.max(bounds.high[k], q[k] + r);
      }
    }
    var step = Math.max(1, Math.floor(rows * Math.max(1, data.figures.length) / 400000));
    for (var i = 0; i < rows; i += step) {
      var at = { i: i, part: 0 };
      for (var k = 0; k < data.figures.length; k++) {
        var f = data.figures[k], r = f.word === 'spring' ? 0 : number(f.radius, at, 0);
        if (f.size) {
          place(f.size, at, d);
          r = Math.hypot(d[0], d[1], d[2]) / 2;
        }
        for (var m = 0; m < f.at.length; m++) reach(place(f.at[m], at, p), r);
        if (f.word === 'arrow') {
          place(f.along, at, d);
          reach([p[0] + d[0], p[1] + d[1], p[2] + d[2]], 0);
        }
      }
    }
    for (var j = 0; j < 3; j++)
      if (!(bounds.low[j] <= bounds.high[j])) bounds.low[j] = bounds.high[j] = 0;
  }

  // ---- the elements --------------------------------------------------------------------------------------------------------

  function make(tag, properties, parent) {
    var e = document.createElement(tag);
    for (var k in properties) {
      if (k === 'text') e.textContent = properties[k];
      else e.setAttribute(k, properties[k]);
    }
    if (parent) parent.appendChild(e);
    return e;
  }

  root.textContent = '';
  root.className = 'rv';
  var head = make('header', {}, root), title = make('h1', {}, head);
  make('span', { class: 'hint', text: 'Space: play · ← →: step · drag: turn or move · wheel: zoom' }, head);
  if (options.bare) head.style.display = 'none';
  var themeButton = make('button', { type: 'button', 'aria-label': 'Light or dark', title: 'Light or dark (D)', text: '◐' }, head);
  var fields = make('div', { class: 'rv-fields' }, root);
  var sceneBox = make('div', { class: 'rv-scene' }, fields);
  var sceneCanvas = make('canvas', { tabindex: '0', role: 'img' }, sceneBox);
  var home = make('button', { type: 'button', title: 'Show everything (0)', 'aria-label': 'Show everything', text: '⌂' }, sceneBox);
  var plotBox = make('div', { class: 'rv-plots' }, fields);
  var bar = make('div', { class: 'rv-bar' }, root);
  var playButton = make('button', { type: 'button', class: 'rv-play' }, bar);
  var slider = make('input', { type: 'range', min: '0', max: '100000', step: '1', value: '0', 'aria-label': 'Time' }, bar);
  var clock = make('span', { class: 'rv-time', role: 'timer' }, bar);
  var speed = make('select', { 'aria-label': 'Speed' }, bar);
  [0.1, 0.25, 0.5, 1, 2, 4, 10].forEach(function (s) { make('option', { value: s, text: '× ' + s }, speed); });
  speed.value = '1';
  var details = make('details', {}, root);
  make('summary', { text: 'Summary of the run' }, details);
  var summary = make('pre', {}, details);

  // ---- colours ---------------------------------------------------------------------------------------------------------------

  var palette = { blue: '#0072b2', orange: '#d55e00', green: '#009e73', pink: '#cc79a7', sky: '#56b4e9', yellow: '#e69f00', grey: '#7d8694', red: '#c8102e' };
  var cycle = ['blue', 'orange', 'green', 'pink', 'sky', 'yellow', 'grey'];
  var usual = { point: 'orange', bar: 'black', polygon: 'sky', circle: 'blue', spring: 'grey', trace: 'blue', arrow: 'red', sphere: 'orange', box: 'sky', label: 'black' };
  var lighter = { '#0072b2': '#4aa8e0', '#d55e00': '#ff8a3d', '#009e73': '#2cc79b', '#c8102e': '#ff5c6c', '#cc79a7': '#e59bc4', '#e69f00': '#ffc04d' };
  var theme = null, style = {};
  function dark() {
    return theme ? theme === 'dark' : !!(window.matchMedia && matchMedia('(prefers-color-scheme: dark)').matches);
  }
  function colour(name) {
    if (name === 'black') return style.ink;
    if (name === 'white') return style.ground;
    var c = palette[name] || name;
    return dark() && lighter[c] ? lighter[c] : c;
  }
  function readStyle() {
    root.classList.toggle('dark', dark());
    root.classList.toggle('light', !dark());
    var s = getComputedStyle(root);
    ['ground', 'panel', 'ink', 'soft', 'line'].forEach(function (k) { style[k] = s.getPropertyValue('--' + k).trim(); });
    style.font = '12px ' + s.fontFamily;
  }

  // ---- the camera --------------------------------------------------------------------------------------------------------------

  var camera = null;
  function resetCamera() {
    camera = { zoom: 1, move: [0, 0], azimuth: -0.9, elevation: 0.35 };
  }
  resetCamera();

  var frame = {};
  function aim(width, height) {
    var b = bounds, size = [0, 1, 2].map(function (k) { return b.high[k] - b.low[k]; });
    frame.centre = [0, 1, 2].map(function (k) { return (b.high[k] + b.low[k]) / 2; });
    var unit = space ? Math.hypot(size[0], size[1], size[2]) : 0, margin = 34;
    var fit = space ? (Math.min(width, height) - margin) / (0.8 * unit || 1)
                    : Math.min((width - 2 * margin) / (size[0] || 1e-9), (height - 2 * margin) / (size[1] || 1e-9));
    if (!space && size[0] === 0 && size[1] === 0) fit = Math.min(width, height) / 4;
    frame.scale = fit * camera.zoom;
    frame.x = width / 2 + camera.move[0];
    frame.y = height / 2 + camera.move[1];
    frame.ca = Math.cos(camera.azimuth);
    frame.sa = Math.sin(camera.azimuth);
    frame.ce = Math.cos(camera.elevation);
    frame.se = Math.sin(camera.elevation);
    frame.far = 4 * (unit || 1);
  }
  // Pixels of a place: x, y, and the distance from the viewer.
  function project(p, out) {
    var a = p[0] - frame.centre[0], b = p[1] - frame.centre[1], c = p[2] - frame.centre[2];
    if (!space) {
      out[0] = frame.x + frame.scale * a;
      out[1] = frame.y - frame.scale * b;
      out[2] = 0;
      return out;
    }
    var right = -frame.sa * a + frame.ca * b, near = frame.ca * a + frame.sa * b;
    var up = frame.ce * c - frame.se * near, depth = -(frame.ce * near + frame.se * c);
    var s = frame.scale * frame.far / (frame.far + depth);
    out[0] = frame.x + s * right;
    out[1] = frame.y - s * up;
    out[2] = depth;
    return out;
  }
  function scaleAt(depth) { return space ? frame.scale * frame.far / (frame.far + depth) : frame.scale; }

  // ---- the scene ----------------------------------------------------------------------------------------------------------------

  function nice(width) {
    var power = Math.pow(10, Math.floor(Math.log10(width)));
    var f = width / power;
    return (f < 1.5 ? 1 : f < 3.5 ? 2 : f < 7.5 ? 5 : 10) * power;
  }

  function drawGrid(g, width, height) {
    var step, i, p = [0, 0, 0], q = [0, 0, 0];
    g.strokeStyle = style.line;
    g.lineWidth = 1;
    g.globalAlpha = 0.55;
    g.beginPath();
    if (!space) {
      step = nice(90 / frame.scale);
      var left = frame.centre[0] - frame.x / frame.scale, top = frame.centre[1] + frame.y / frame.scale;
      for (i = Math.ceil(left / step); i * step < left + width / frame.scale; i++) {
        project([i * step, 0, 0], p);
        g.moveTo(p[0], 0), g.lineTo(p[0], height);
      }
      for (i = Math.floor(top / step); i * step > top - height / frame.scale; i--) {
        project([0, i * step, 0], p);
        g.moveTo(0, p[1]), g.lineTo(width, p[1]);
      }
    } else {
      var size = Math.max(bounds.high[0] - bounds.low[0], bounds.high[1] - bounds.low[1], (bounds.high[2] - bounds.low[2]) / 2) || 1;
      step = nice(size / 6);
      var x0 = Math.floor((frame.centre[0] - size / 2) / step), x1 = Math.ceil((frame.centre[0] + size / 2) / step);
      var y0 = Math.floor((frame.centre[1] - size / 2) / step), y1 = Math.ceil((frame.centre[1] + size / 2) / step), z = bounds.low[2];
      for (i = x0; i <= x1; i++) {
        project([i * step, y0 * step, z], p), project([i * step, y1 * step, z], q);
        g.moveTo(p[0], p[1]), g.lineTo(q[0], q[1]);
      }
      for (i = y0; i <= y1; i++) {
        project([x0 * step, i * step, z], p), project([x1 * step, i * step, z], q);
        g.moveTo(p[0], p[1]), g.lineTo(q[0], q[1]);
      }
    }
    g.stroke();
    g.globalAlpha = 1;

    // the length of a step
    if (!space) {
      var length = step * frame.scale;
      g.strokeStyle = g.fillStyle = style.soft;
      g.beginPath();
      g.moveTo(12, height - 16), g.lineTo(12, height - 12), g.lineTo(12 + length, height - 12), g.lineTo(12 + length, height - 16);
      g.stroke();
      g.font = style.font;
      g.textAlign = 'left';
      g.textBaseline = 'bottom';
      g.fillText(String(+step.toPrecision(2)), 16, height - 14);
    }
  }

  var A = [0, 0, 0], B = [0, 0, 0], P = [0, 0, 0], Q = [0, 0, 0];
  function path(g, f, at, closed) {
    var depth = 0;
    g.beginPath();
    for (var k = 0; k < f.at.length; k++) {
      project(place(f.at[k], at, A), P);
      depth += P[2];
      if (k === 0) g.moveTo(P[0], P[1]);
      else g.lineTo(P[0], P[1]);
    }
    if (closed) g.closePath();
    return depth / f.at.length;
  }

  function disc(g, px, py, r, fill, outline) {
    g.beginPath();
    g.arc(px, py, Math.max(0, r), 0, 2 * Math.PI);
    g.fillStyle = fill;
    g.fill();
    if (outline) {
      g.strokeStyle = outline;
      g.lineWidth = 1.2;
      g.stroke();
    }
  }

  function ball(g, px, py, r, c) {
    var shade = g.createRadialGradient(px - 0.35 * r, py - 0.35 * r, 0.1 * r, px, py, r);
    shade.addColorStop(0, 'rgba(255,255,255,0.75)');
    shade.addColorStop(0.4, 'rgba(255,255,255,0.12)');
    shade.addColorStop(1, 'rgba(0,0,0,0.35)');
    disc(g, px, py, r, c);
    disc(g, px, py, r, shade);
  }

  // The matrix of a turn: an angle, or the numbers of a matrix; null: none.
  function turned(f, at) {
    if (!f.turned) return null;
    var n = f.turned.length, v = f.turned.map(function (c) { return value(c, at.i, at.part); });
    if (n === 1) return [[Math.cos(v[0]), -Math.sin(v[0]), 0], [Math.sin(v[0]), Math.cos(v[0]), 0], [0, 0, 1]];
    if (n === 4) return [[v[0], v[1], 0], [v[2], v[3], 0], [0, 0, 1]];
    return [v.slice(0, 3), v.slice(3, 6), v.slice(6, 9)];
  }
  function apply(m, v) {
    if (!m) return v;
    return [0, 1, 2].map(function (k) { return m[k][0] * v[0] + m[k][1] * v[1] + m[k][2] * v[2]; });
  }

  function drawCircle(g, f, at, c) {
    var r = number(f.radius, at, 0), m = turned(f, at), e = [1, 0, 0], h = [0, 1, 0], k;
    place(f.at[0], at, A);
    if (f.along) {
      // two directions across the axis
      place(f.along, at, B);
      var n = Math.hypot(B[0], B[1], B[2]) || 1, axis = [B[0] / n, B[1] / n, B[2] / n];
      e = Math.abs(axis[2]) < 0.9 ? [-axis[1], axis[0], 0] : [0, -axis[2], axis[1]];
      n = Math.hypot(e[0], e[1], e[2]);
      e = e.map(function (q) { return q / n; });
      h = [axis[1] * e[2] - axis[2] * e[1], axis[2] * e[0] - axis[0] * e[2], axis[0] * e[1] - axis[1] * e[0]];
    }
    e = apply(m, e), h = apply(m, h);
    g.beginPath();
    for (k = 0; k <= 64; k++) {
      var a = k * Math.PI / 32, s = r * Math.sin(a), d = r * Math.cos(a);
      project([A[0] + d * e[0] + s * h[0], A[1] + d * e[1] + s * h[1], A[2] + d * e[2] + s * h[2]], P);
      if (k === 0) g.moveTo(P[0], P[1]);
      else g.lineTo(P[0], P[1]);
    }
    g.globalAlpha = 0.22;
    g.fillStyle = c;
    g.fill();
    g.globalAlpha = 1;
    g.strokeStyle = c;
    g.lineWidth = 2;
    g.stroke();
    if (f.turned) {
      project(A, P), project([A[0] + r * e[0], A[1] + r * e[1], A[2] + r * e[2]], Q);
      g.beginPath();
      g.moveTo(P[0], P[1]), g.lineTo(Q[0], Q[1]);
      g.stroke();
    }
  }

  function drawSpring(g, f, at, c) {
    project(place(f.at[0], at, A), P), project(place(f.at[1], at, B), Q);
    var dx = Q[0] - P[0], dy = Q[1] - P[1], length = Math.hypot(dx, dy) || 1, turns = 10, end = 0.12;
    var wide = f.radius ? number(f.radius, at, 0) * scaleAt((P[2] + Q[2]) / 2) : 7;
    g.beginPath();
    g.moveTo(P[0], P[1]);
    g.lineTo(P[0] + end * dx, P[1] + end * dy);
    for (var k = 0; k < 2 * turns; k++) {
      var s = end + (1 - 2 * end) * (k + 0.5) / (2 * turns), side = k % 2 ? -wide : wide;
      g.lineTo(P[0] + s * dx - side * dy / length, P[1] + s * dy + side * dx / length);
    }
    g.lineTo(P[0] + (1 - end) * dx, P[1] + (1 - end) * dy);
    g.lineTo(Q[0], Q[1]);
    g.strokeStyle = c;
    g.lineWidth = 1.8;
    g.stroke();
  }

  function drawArrow(g, f, at, c) {
    place(f.at[0], at, A), place(f.along, at, B);
    project(A, P), project([A[0] + B[0], A[1] + B[1], A[2] + B[2]], Q);
    var dx = Q[0] - P[0], dy = Q[1] - P[1], length = Math.hypot(dx, dy);
    if (!(length > 1)) return;
    var wide = number(f.width, at, 2.5), tip = Math.min(length, 4 * wide + 4), ux = dx / length, uy = dy / length;
    g.strokeStyle = g.fillStyle = c;
    g.lineWidth = wide;
    g.beginPath();
    g.moveTo(P[0], P[1]), g.lineTo(Q[0] - ux * tip * 0.8, Q[1] - uy * tip * 0.8);
    g.stroke();
    g.beginPath();
    g.moveTo(Q[0], Q[1]);
    g.lineTo(Q[0] - ux * tip - uy * tip / 2.4, Q[1] - uy * tip + ux * tip / 2.4);
    g.lineTo(Q[0] - ux * tip + uy * tip / 2.4, Q[1] - uy * tip - ux * tip / 2.4);
    g.closePath();
    g.fill();
  }

  var sides = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]];
  function drawBox(g, f, at, c) {
    place(f.at[0], at, A), place(f.size, at, B);
    var m = turned(f, at), corners = [], k;
    for (k = 0; k < 8; k++) {
      var d = apply(m, [(k & 1 ? 1 : -1) * B[0] / 2, (k & 2 ? 1 : -1) * B[1] / 2, (k & 4 ? 1 : -1) * B[2] / 2]);
      corners.push(project([A[0] + d[0], A[1] + d[1], A[2] + d[2]], [0, 0, 0]));
    }
    var list = space ? sides.slice() : [sides[0]];
    function depth(s) { return corners[s[0]][2] + corners[s[1]][2] + corners[s[2]][2] + corners[s[3]][2]; }
    list.sort(function (a, b) { return depth(b) - depth(a); });
    list.forEach(function (s, n) {
      g.beginPath();
      s.forEach(function (i, j) {
        if (j) g.lineTo(corners[i][0], corners[i][1]);
        else g.moveTo(corners[i][0], corners[i][1]);
      });
      g.closePath();
      g.globalAlpha = space ? 0.45 + 0.09 * n : 0.35;
      g.fillStyle = c;
      g.fill();
      g.globalAlpha = 1;
      g.strokeStyle = c;
      g.lineWidth = 1.5;
      g.stroke();
    });
  }

  function drawTrace(g, f, at, c) {
    var from = 0, k, length = f.length ? number(f.length, at, 0) : Infinity, now = x[at.i] + (at.i + 1 < rows ? (x[at.i + 1] - x[at.i]) * at.part : 0);
    if (isFinite(length)) from = seek(now + (backward ? length : -length)).i;
    var step = Math.max(1, Math.floor((at.i - from) / 4000));
    g.beginPath();
    var here = { i: 0, part: 0 };
    for (k = from; k <= at.i; k += step) {
      here.i = k;
      project(place(f.at[0], here, A), P);
      if (k === from) g.moveTo(P[0], P[1]);
      else g.lineTo(P[0], P[1]);
    }
    project(place(f.at[0], at, A), P);
    g.lineTo(P[0], P[1]);
    g.globalAlpha = 0.6;
    g.strokeStyle = c;
    g.lineWidth = number(f.width, at, 1.5);
    g.stroke();
    g.globalAlpha = 1;
  }

  function drawFigure(g, f, at) {
    var c = colour(f.colour || usual[f.word]);
    g.lineJoin = g.lineCap = 'round';
    switch (f.word) {
    case 'point':
    case 'sphere':
      project(place(f.at[0], at, A), P);
      var r = f.radius ? number(f.radius, at, 0) * scaleAt(P[2]) : data.figures.length > 400 ? 2.5 : 5.5;
      if (f.word === 'sphere') ball(g, P[0], P[1], r, c);
      else disc(g, P[0], P[1], r, c, r > 3 ? style.panel : null);
      return;
    case 'bar':
      path(g, f, at, false);
      g.strokeStyle = c;
      g.lineWidth = number(f.width, at, data.figures.length > 400 ? 2 : 4);
      g.stroke();
      return;
    case 'polygon':
      path(g, f, at, true);
      g.globalAlpha = 0.4;
      g.fillStyle = c;
      g.fill();
      g.globalAlpha = 1;
      g.strokeStyle = c;
      g.lineWidth = 1.8;
      g.stroke();
      return;
    case 'circle': drawCircle(g, f, at, c); return;
    case 'spring': drawSpring(g, f, at, c); return;
    case 'arrow': drawArrow(g, f, at, c); return;
    case 'box': drawBox(g, f, at, c); return;
    case 'trace': drawTrace(g, f, at, c); return;
    case 'label':
      project(place(f.at[0], at, A), P);
      g.fillStyle = c;
      g.font = style.font.replace('12px', '14px');
      g.textAlign = 'left';
      g.textBaseline = 'middle';
      g.fillText(f.text, P[0] + 9, P[1] - 9);
    }
  }

  function context(canvas) {
    var box = canvas.parentNode.getBoundingClientRect(), ratio = Math.min(3, window.devicePixelRatio || 1);
    var w = Math.round(box.width * ratio), h = Math.round(box.height * ratio);
    if (canvas.width !== w || canvas.height !== h) canvas.width = w, canvas.height = h;
    var g = canvas.getContext('2d');
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    return { g: g, width: box.width, height: box.height, ratio: ratio };
  }

  // Very many shapes in the plane: those that look the same are drawn at once.
  function drawMany(g, at) {
    var groups = {}, list = [];
    data.figures.forEach(function (f) {
      var plain = f.word === 'bar' || (f.word === 'point' && !f.radius);
      var key = plain ? f.word + ' ' + (f.colour || '') + ' ' + (f.width || '') : null;
      if (f.word === 'trace') return;
      if (key && groups[key]) groups[key].push(f);
      else list.push(groups[key || list.length] = [f]);
    });
    list.forEach(function (group) {
      var f = group[0], c = colour(f.colour || usual[f.word]);
      if (group.length === 1) return drawFigure(g, f, at);
      g.beginPath();
      for (var i = 0; i < group.length; i++)
        for (var k = 0; k < group[i].at.length; k++) {
          project(place(group[i].at[k], at, A), P);
          if (f.word === 'point') g.moveTo(P[0] + 2.5, P[1]), g.arc(P[0], P[1], 2.5, 0, 2 * Math.PI);
          else if (k === 0) g.moveTo(P[0], P[1]);
          else g.lineTo(P[0], P[1]);
        }
      g.fillStyle = g.strokeStyle = c;
      g.lineWidth = number(f.width, at, 2);
      if (f.word === 'point') g.fill();
      else g.stroke();
    });
  }

  // Traces lie below everything; in space the far things are drawn first.
  function drawScene() {
    if (!data.figures.length) return;
    var c = context(sceneCanvas), g = c.g, order = data.figures;
    g.clearRect(0, 0, c.width, c.height);
    aim(c.width, c.height);
    drawGrid(g, c.width, c.height);
    var i;
    for (i = 0; i < order.length; i++)
      if (order[i].word === 'trace') drawFigure(g, order[i], moment);
    if (space) {
      for (i = 0; i < order.length; i++) {
        var f = order[i], depth = 0;
        for (var k = 0; k < f.at.length; k++) depth += project(place(f.at[k], moment, A), P)[2];
        f.depth = f.word === 'label' ? -Infinity : depth / f.at.length;
      }
      order = order.slice().sort(function (a, b) { return b.depth - a.depth; });
    }
    if (!space && order.length > 400) return drawMany(g, moment);
    for (i = 0; i < order.length; i++)
      if (order[i].word !== 'trace') drawFigure(g, order[i], moment);
  }

  // ---- plots ------------------------------------------------------------------------------------------------------------------

  function measurePanel(p) {
    p.space = p.curves[0].column.length === 3;
    p.axis = p.space || !p.curves[0].axis ? [{}, {}, {}] : p.curves[0].axis.concat({});
    p.ranged = p.axis.some(function (a) { return a.low !== undefined; });
    p.low = [Infinity, Infinity, Infinity];
    p.high = [-Infinity, -Infinity, -Infinity];
    p.graph = p.curves.every(function (c) { return c.column[0] === p.curves[0].column[0] && !c.event; }) && rises(p.curves[0].column[0]);
    p.curves.forEach(function (c) {
      for (var k = 0; k < c.column.length; k++) {
        var n = c.event ? c.points.length / c.column.length : rows;
        for (var i = 0; i < n; i++) {
          var v = c.event ? c.points[i * c.column.length + k] : value(c.column[k], i, 0);
          if (v === null) continue;
          v = scaled(p, k, v);
          if (!isFinite(v)) continue;
          if (v < p.low[k]) p.low[k] = v;
          if (v > p.high[k]) p.high[k] = v;
        }
      }
    });
    for (var k = 0; k < 3; k++) {
      if (!(p.low[k] <= p.high[k])) p.low[k] = -1, p.high[k] = 1;
      var width = p.high[k] - p.low[k], size = Math.max(Math.abs(p.low[k]), Math.abs(p.high[k]));
      var air = width > 1e-6 * size ? (k === 0 && p.graph ? 0 : 0.06 * width) : size / 10 || 1;
      p.low[k] -= air;
      p.high[k] += air;
      if (p.axis[k].low !== undefined) p.low[k] = scaled(p, k, p.axis[k].low), p.high[k] = scaled(p, k, p.axis[k].high);
    }
    p.full = { low: p.low.slice(), high: p.high.slice() };
  }
  function rises(c) {
    var up = true, down = true;
    for (var i = 1; i < rows; i++) {
      var d = value(c, i, 0) - value(c, i - 1, 0);
      if (d < 0) up = false;
      if (d > 0) down = false;
    }
    return up !== down;
  }

  // A value as its axis shows it: logarithmic axes show the exponents of positive values. All limits of a panel are such values.
  function scaled(p, k, v) { return !p.axis[k].log ? v : v > 0 ? Math.log10(v) : NaN; }

  // A curve in space is seen from the direction in which the scene begins.
  function flat(p, v, out) {
    if (!p.space) return out[0] = scaled(p, 0, v[0]), out[1] = scaled(p, 1, v[1]), out;
    var s = [0, 1, 2].map(function (k) { return (v[k] - p.low[k]) / (p.high[k] - p.low[k]) - 0.5; });
    var a = camera.azimuth, e = camera.elevation;
    out[0] = -Math.sin(a) * s[0] + Math.cos(a) * s[1];
    out[1] = Math.cos(e) * s[2] - Math.sin(e) * (Math.cos(a) * s[0] + Math.sin(a) * s[1]);
    return out;
  }

  function ticks(low, high, most) {
    var step = nice((high - low) / Math.max(1, most)), list = [], i = Math.ceil(low / step - 1e-9);
    for (; i * step <= high + 1e-9 * step; i++) list.push(Math.abs(i * step) < 1e-9 * step ? 0 : i * step);
    var size = Math.max(Math.abs(low), Math.abs(high)), digits = Math.max(1, Math.ceil(Math.log10(size / step) + 1));
    return list.map(function (v) {
      var text = Math.abs(v) >= 1e5 || (v !== 0 && size < 1e-3) ? v.toExponential(Math.max(0, Math.min(6, digits - 2))) : String(+v.toPrecision(Math.min(15, digits + 1)));
      return { v: v, text: text };
    });
  }

  // Marks of a logarithmic axis: powers of ten, and 2 and 5 times these if there are few.
  function powers(low, high, most) {
    var list = [], step = Math.max(1, Math.ceil((high - low) / Math.max(1, most))), factors = high - low < 2.5 ? [1, 2, 5] : [1];
    for (var i = Math.floor(low); i <= high; i++)
      factors.forEach(function (f) {
        var at = i + Math.log10(f);
        if (at < low - 1e-9 || at > high + 1e-9 || i % step) return;
        list.push({ v: at, text: i < -3 || i > 4 ? f + 'e' + i : String(+(f * Math.pow(10, i)).toPrecision(3)) });
      });
    return list.length > 1 ? list : ticks(low, high, most).map(function (t) { return { v: t.v, text: Math.pow(10, t.v).toPrecision(4) }; });
  }
  function marks(p, k, most) { return (p.axis[k].log ? powers : ticks)(p.low[k], p.high[k], most); }

  function named(name, unit) { return unit ? name + ' (' + unit + ')' : name; }
  function common(p, k) {
    return p.curves.every(function (c) { return c.name[k] === p.curves[0].name[k]; });
  }

  // What a panel shows of its field; all of it unless the user has zoomed.
  function zoomPanel(p, factor, px, py) {
    if (p.space) return;
    var at = [unmap(p, 0, px), unmap(p, 1, py)];
    for (var k = 0; k < 2; k++) {
      var whole = p.full.high[k] - p.full.low[k], width = Math.min(whole, Math.max(1e-9 * whole, (p.high[k] - p.low[k]) / factor));
      var part = (at[k] - p.low[k]) / (p.high[k] - p.low[k]);
      p.low[k] = at[k] - part * width;
      p.high[k] = p.low[k] + width;
    }
    movePanel(p, 0, 0);
  }
  // Moves the window by pixels, but not out of the field.
  function movePanel(p, dx, dy) {
    if (p.space) return;
    var b = p.box, by = [-dx / (b.right - b.left), dy / (b.bottom - b.top)];
    for (var k = 0; k < 2; k++) {
      var width = p.high[k] - p.low[k];
      p.low[k] = Math.min(p.full.high[k] - width, Math.max(p.full.low[k], p.low[k] + by[k] * width));
      p.high[k] = p.low[k] + width;
    }
    p.zoomed = p.high[0] - p.low[0] < 0.999 * (p.full.high[0] - p.full.low[0]) || p.high[1] - p.low[1] < 0.999 * (p.full.high[1] - p.full.low[1]);
    p.stale = true;
    redraw();
  }
  function showWhole(p) {
    p.low = p.full.low.slice();
    p.high = p.full.high.slice();
    p.zoomed = false;
    p.stale = true;
    redraw();
  }
  // The value at a pixel of an axis.
  function unmap(p, k, at) {
    var b = p.box, part = k === 0 ? (at - b.left) / (b.right - b.left) : (b.bottom - at) / (b.bottom - b.top);
    return p.low[k] + Math.min(1, Math.max(0, part)) * (p.high[k] - p.low[k]);
  }

  function layPanel(p, c) {
    p.box = { left: 52, right: c.width - 12, top: 12, bottom: c.height - 30 };
    layKey(p, c);
    p.x = function (v) { return p.box.left + (v - p.low[0]) / (p.high[0] - p.low[0]) * (p.box.right - p.box.left); };
    p.y = function (v) { return p.box.bottom - (v - p.low[1]) / (p.high[1] - p.low[1]) * (p.box.bottom - p.box.top); };
    if (p.space) {
      p.x = function (v) { return (p.box.left + p.box.right) / 2 + v * (p.box.right - p.box.left) * 0.62; };
      p.y = function (v) { return (p.box.top + p.box.bottom) / 2 - v * (p.box.bottom - p.box.top) * 0.62; };
    }
  }

  // The key above the field: as many lines as it needs, up to a third of the panel.
  function layKey(p, c) {
    var left = p.box.left, line = 0, g = p.canvas.getContext('2d');
    p.key = [];
    if (p.curves.length < 2) return;
    g.font = style.font;
    for (var n = 0; n < p.curves.length; n++) {
      var curve = p.curves[n], text = p.graph ? curve.name[1] : curve.event || curve.name.join(', ');
      var wide = 30 + g.measureText(text + (p.graph ? ' -0.00000' : '')).width;
      if (left > p.box.left && left + wide > c.width) left = p.box.left, line++;
      if (line * 17 > c.height / 3 || n >= 12) break;
      p.key.push({ text: text, x: left, y: 15 + 17 * line });
      left += wide;
    }
    p.box.top = 28 + 17 * Math.min(line, Math.floor(c.height / 51));
  }

  function drawFrame(p, g) {
    var b = p.box;
    g.font = style.font;
    g.strokeStyle = style.line;
    g.fillStyle = style.soft;
    g.lineWidth = 1;
    if (!p.space) {
      g.strokeRect(b.left + 0.5, b.top + 0.5, b.right - b.left, b.bottom - b.top);
      g.textAlign = 'center';
      g.textBaseline = 'top';
      marks(p, 0, (b.right - b.left) / 80).forEach(function (t) {
        var at = p.x(t.v);
        g.beginPath(), g.moveTo(at, b.bottom), g.lineTo(at, b.bottom - 4), g.stroke();
        if (at > b.left + 6 && at < b.right - 16) g.fillText(t.text, at, b.bottom + 4);
      });
      g.textAlign = 'right';
      g.textBaseline = 'middle';
      marks(p, 1, Math.min(8, (b.bottom - b.top) / 34)).forEach(function (t) {
        var at = p.y(t.v);
        g.beginPath(), g.moveTo(b.left, at), g.lineTo(b.left + 4, at), g.stroke();
        g.fillText(t.text, b.left - 5, at);
      });
      if (!p.axis[1].log && p.low[1] < 0 && p.high[1] > 0) {
        g.globalAlpha = 0.6;
        g.beginPath(), g.moveTo(b.left, p.y(0)), g.lineTo(b.right, p.y(0)), g.stroke();
        g.globalAlpha = 1;
      }
    } else drawAxes(p, g);

    // the names of the axes
    g.fillStyle = style.ink;
    g.textAlign = 'right';
    g.textBaseline = 'bottom';
    if (p.space) return;
    var label = p.axis.map(function (a, k) { return a.label || (k < 2 && common(p, k) ? named(p.curves[0].name[k], p.curves[0].unit[k]) : ''); });
    g.fillText(label[0], b.right - 4, b.bottom + 28);
    g.textAlign = 'left';
    g.textBaseline = 'top';
    if (p.axis[1].label || p.curves.length === 1) g.fillText(label[1], b.left + 8, b.top + 5);
  }

  function drawAxes(p, g) {
    var o = [0, 0], e = [0, 0];
    for (var k = 0; k < 3; k++) {
      var from = [p.low[0], p.low[1], p.low[2]], to = from.slice();
      to[k] = p.high[k];
      flat(p, from, o), flat(p, to, e);
      g.beginPath(), g.moveTo(p.x(o[0]), p.y(o[1])), g.lineTo(p.x(e[0]), p.y(e[1])), g.stroke();
      g.textAlign = 'center';
      g.textBaseline = 'middle';
      g.fillText(named(p.curves[0].name[k], p.curves[0].unit[k]), p.x(e[0]) * 1.03 - p.x(o[0]) * 0.03, p.y(e[1]) + (k === 2 ? -8 : 10));
    }
  }

  // The curves do not change with the time: they are drawn once, on a canvas that is not shown.
  function drawStill(p) {
    var c = context(p.canvas), still = p.still || (p.still = document.createElement('canvas'));
    p.shown = c;
    still.width = p.canvas.width;
    still.height = p.canvas.height;
    var g = still.getContext('2d'), out = [0, 0], v = [0, 0, 0];
    g.setTransform(c.ratio, 0, 0, c.ratio, 0, 0);
    layPanel(p, c);
    drawFrame(p, g);
    g.save();
    g.beginPath();
    g.rect(p.box.left, p.box.top, p.box.right - p.box.left, p.box.bottom - p.box.top);
    if (!p.space) g.clip();
    p.curves.forEach(function (curve, n) {
      var i, k, d = curve.column.length;
      g.strokeStyle = g.fillStyle = colour(cycle[n % cycle.length]);
      g.lineWidth = 1.6;
      g.lineJoin = 'round';
      g.setLineDash(n >= cycle.length ? [6, 4] : []);
      if (curve.event) {
        for (i = 0; i < curve.points.length; i += d) {
          flat(p, curve.points.slice(i, i + d), out);
          g.fillRect(p.x(out[0]) - 1.5, p.y(out[1]) - 1.5, 3, 3);
        }
        return;
      }
      g.beginPath();
      var pen = false, lastX = 0, lastY = 0, spot = -1, low = 0, high = 0;
      for (i = 0; i < rows; i++) {
        for (k = 0; k < d; k++) v[k] = value(curve.column[k], i, 0);
        flat(p, v, out);
        if (!isFinite(out[0]) || !isFinite(out[1])) {
          pen = false;
          continue;
        }
        // points that change nothing in the picture are left out: those near the last one, and inside what their column of pixels has
        var px = p.x(out[0]), py = p.y(out[1]);
        var near = Math.abs(px - lastX) + Math.abs(py - lastY) < 0.3, inside = p.graph && Math.round(px) === spot && py >= low && py <= high;
        if (pen && i + 1 < rows && (near || inside)) continue;
        low = Math.round(px) === spot ? Math.min(low, py) : py;
        high = Math.round(px) === spot ? Math.max(high, py) : py;
        spot = Math.round(px);
        lastX = px, lastY = py;
        if (pen) g.lineTo(px, py);
        else g.moveTo(px, py);
        pen = true;
      }
      g.stroke();
    });
    g.restore();
    p.looks = camera.azimuth + ' ' + camera.elevation;
  }

  function short(v) {
    if (!isFinite(v)) return '–';
    return Math.abs(v) >= 1e5 || (v !== 0 && Math.abs(v) < 1e-3) ? v.toExponential(2) : v.toPrecision(4);
  }

  function within(b, px, py) { return px >= b.left && px <= b.right && py >= b.top && py <= b.bottom; }
  function drawPanel(p) {
    var box = p.canvas.parentNode.getBoundingClientRect();
    if (!box.width) return;
    var turned = p.space && p.looks !== camera.azimuth + ' ' + camera.elevation;
    if (!p.still || !p.shown || p.shown.width !== box.width || p.shown.height !== box.height || p.stale || turned) drawStill(p);
    p.stale = false;
    var c = context(p.canvas), g = c.g, b = p.box, out = [0, 0], v = [0, 0, 0];
    g.clearRect(0, 0, c.width, c.height);
    g.drawImage(p.still, 0, 0, c.width, c.height);
    g.font = style.font;

    // the present time
    if (p.graph) {
      var at = p.x(scaled(p, 0, value(p.curves[0].column[0], moment.i, moment.part)));
      g.strokeStyle = style.soft;
      g.lineWidth = 1;
      if (within(b, at, b.top)) g.beginPath(), g.moveTo(at, b.top), g.lineTo(at, b.bottom), g.stroke();
    }
    p.curves.forEach(function (curve, n) {
      var tint = colour(cycle[n % cycle.length]), key = p.key[n];
      if (!curve.event && n < 50) {
        for (var k = 0; k < curve.column.length; k++) v[k] = value(curve.column[k], moment.i, moment.part);
        flat(p, v, out);
        if (!(p.zoomed || p.ranged) || within(b, p.x(out[0]), p.y(out[1]))) disc(g, p.x(out[0]), p.y(out[1]), 4, tint, style.panel);
      }
      // the key, with the present values
      if (key) {
        g.textAlign = 'left';
        g.textBaseline = 'middle';
        g.fillStyle = tint;
        g.fillRect(key.x, key.y - 2, 12, 3);
        g.fillStyle = style.ink;
        g.fillText(key.text + (p.graph ? ' ' + short(v[1]) : ''), key.x + 17, key.y);
      } else if (p.curves.length === 1 && p.graph) {
        g.textAlign = 'right';
        g.textBaseline = 'top';
        g.fillStyle = style.ink;
        g.fillText(short(v[1]), b.right - 6, b.top + 5);
      }
    });
    if (p.near && p.near.row < rows) drawValues(p, g, c.width);
  }

  // The values of the curve point nearest to the pointer.
  function drawValues(p, g, width) {
    var out = [0, 0], v = [0, 0, 0], near = p.near, curve = p.curves[near.curve], k;
    for (k = 0; k < curve.column.length; k++) v[k] = value(curve.column[k], near.row, 0);
    flat(p, v, out);
    var text = curve.name.map(function (n, i) { return n + ' ' + short(v[i]); }).join('   '), wide = g.measureText(text).width + 12;
    var px = p.x(out[0]), py = p.y(out[1]), left = Math.max(2, Math.min(px + 10, width - wide - 2)), top = Math.max(2, py - 28);
    disc(g, px, py, 4.5, colour(cycle[near.curve % cycle.length]), style.ink);
    g.globalAlpha = 0.92;
    g.fillStyle = style.ink;
    g.fillRect(left, top, wide, 20);
    g.globalAlpha = 1;
    g.fillStyle = style.ground;
    g.textAlign = 'left';
    g.textBaseline = 'middle';
    g.fillText(text, left + 6, top + 10);
  }

  // The row and the curve nearest to a pointer; along a graph the distance to the side counts first.
  function nearest(p, event) {
    var box = p.canvas.getBoundingClientRect(), px = event.clientX - box.left, py = event.clientY - box.top, i;
    if (!p.box) return null;
    var best = Infinity, found = null, out = [0, 0], v = [0, 0, 0];
    p.curves.forEach(function (curve, n) {
      if (curve.event) return;
      for (i = 0; i < rows; i++) {
        for (var k = 0; k < curve.column.length; k++) v[k] = value(curve.column[k], i, 0);
        flat(p, v, out);
        var dx = p.x(out[0]) - px, dy = p.y(out[1]) - py, d = p.graph ? 20 * Math.abs(dx) + Math.abs(dy) : Math.hypot(dx, dy);
        if (d < best) best = d, found = { row: i, curve: n };
      }
    });
    return found;
  }
  // A click or drag on a plot goes to that time.
  function pick(p, event) {
    var found = nearest(p, event);
    if (found) go(x[found.row]);
  }

  function buildPlots() {
    plotBox.textContent = '';
    panels.forEach(function (p) {
      var box = make('div', {}, plotBox);
      p.canvas = make('canvas', { role: 'img', tabindex: '0', 'aria-label': 'Plot of ' + p.curves.map(function (c) { return c.name.slice(1).join(', '); }).join(', ') + ': plus and minus zoom, shift and arrow keys move, 0 shows everything' }, box);
      p.canvas.panel = p;
      listenPanel(p);
    });
  }

  // A drag goes to that time; with Shift, or zoomed with two fingers, it moves the window. The wheel zooms; where plots scroll, with Ctrl.
  function listenPanel(p) {
    var fingers = {}, canvas = p.canvas;
    function middle(list) { return [(list[0][0] + list[1][0]) / 2, (list[0][1] + list[1][1]) / 2]; }
    function list() { return Object.keys(fingers).map(function (k) { return fingers[k]; }); }
    canvas.addEventListener('pointerdown', function (e) {
      fingers[e.pointerId] = [e.clientX, e.clientY];
      canvas.setPointerCapture(e.pointerId);
      if (e.shiftKey || list().length > 1) return;
      pause();
      pick(p, e);
    });
    canvas.addEventListener('pointermove', function (e) {
      var old = fingers[e.pointerId], box = canvas.getBoundingClientRect();
      if (!old) {
        p.near = e.pointerType === 'touch' ? null : nearest(p, e);
        redraw();
        return;
      }
      var before = list(), was = before.length > 1 ? middle(before) : null, far = was ? Math.hypot(before[0][0] - before[1][0], before[0][1] - before[1][1]) : 0;
      fingers[e.pointerId] = [e.clientX, e.clientY];
      if (was) {
        var after = list(), is = middle(after), wide = Math.hypot(after[0][0] - after[1][0], after[0][1] - after[1][1]);
        movePanel(p, is[0] - was[0], is[1] - was[1]);
        if (far > 0 && wide > 0) zoomPanel(p, wide / far, is[0] - box.left, is[1] - box.top);
      } else if (e.shiftKey) movePanel(p, e.clientX - old[0], e.clientY - old[1]);
      else pick(p, e);
    });
    ['pointerup', 'pointercancel'].forEach(function (n) { canvas.addEventListener(n, function (e) { delete fingers[e.pointerId]; }); });
    canvas.addEventListener('pointerleave', function () {
      p.near = null;
      redraw();
    });
    canvas.addEventListener('dblclick', function () { showWhole(p); });
    canvas.addEventListener('wheel', function (e) {
      if (p.space || (plotBox.scrollHeight > plotBox.clientHeight + 1 && !e.ctrlKey)) return;
      e.preventDefault();
      var box = canvas.getBoundingClientRect();
      zoomPanel(p, Math.exp(-e.deltaY * 0.0015), e.clientX - box.left, e.clientY - box.top);
    }, { passive: false });
  }

  // ---- the time ------------------------------------------------------------------------------------------------------------------

  var now = 0, playing = false, before = 0, request = 0, dead = false;
  function rate() {
    var length = Math.abs(last - first);
    return length >= 2 && length <= 60 ? 1 : length / 12;
  }
  function showTime() {
    var digits = Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(Math.abs(last - first) || 1))));
    clock.textContent = data.variable + ' = ' + now.toFixed(digits) + (data.unit ? ' ' + data.unit : '');
    slider.value = String(Math.round(last !== first ? 1e5 * (now - first) / (last - first) : 0));
    slider.setAttribute('aria-valuetext', clock.textContent);
  }
  function draw() {
    request = 0;
    if (dead || !rows) return;
    moment = seek(now);
    drawScene();
    for (var i = 0; i < panels.length; i++) drawPanel(panels[i]);
    showTime();
  }
  function redraw() { if (!request && !playing) request = requestAnimationFrame(draw); }
  function go(t) {
    now = Math.min(Math.max(t, Math.min(first, last)), Math.max(first, last));
    redraw();
  }
  function tick(time) {
    if (!playing || dead) return;
    var passed = Math.max(0, Math.min(0.1, (time - before) / 1000));
    before = time;
    now += (backward ? -1 : 1) * passed * rate() * Number(speed.value);
    if (backward ? now <= last : now >= last) now = first;
    draw();
    requestAnimationFrame(tick);
  }
  function showPlay() {
    playButton.textContent = playing ? '❚❚' : '▶';
    playButton.setAttribute('aria-label', playing ? 'Pause' : 'Play');
    playButton.title = (playing ? 'Pause' : 'Play') + ' (Space)';
  }
  function play() {
    if (playing || rows < 2) return;
    playing = true;
    before = performance.now();
    showPlay();
    requestAnimationFrame(tick);
  }
  function pause() {
    playing = false;
    showPlay();
  }

  // ---- input ----------------------------------------------------------------------------------------------------------------------

  playButton.addEventListener('click', function () { if (playing) pause(); else play(); });
  slider.addEventListener('input', function () {
    pause();
    go(first + (last - first) * Number(slider.value) / 1e5);
  });
  home.addEventListener('click', function () { resetCamera(), redraw(); });
  function setTheme(name) {
    theme = name;
    restyle();
  }
  themeButton.addEventListener('click', function () { setTheme(dark() ? 'light' : 'dark'); });
  function restyle() {
    readStyle();
    panels.forEach(function (p) { p.stale = true; });
    redraw();
  }
  if (window.matchMedia) matchMedia('(prefers-color-scheme: dark)').addEventListener('change', restyle);

  var fingers = {};
  sceneCanvas.addEventListener('pointerdown', function (e) {
    fingers[e.pointerId] = [e.clientX, e.clientY];
    sceneCanvas.setPointerCapture(e.pointerId);
  });
  function zoomAt(factor, px, py) {
    var box = sceneCanvas.getBoundingClientRect(), dx = px - box.left - box.width / 2, dy = py - box.top - box.height / 2;
    var next = Math.min(1000, Math.max(0.02, camera.zoom * factor));
    factor = next / camera.zoom;
    camera.zoom = next;
    camera.move[0] = dx + (camera.move[0] - dx) * factor;
    camera.move[1] = dy + (camera.move[1] - dy) * factor;
    redraw();
  }
  sceneCanvas.addEventListener('pointermove', function (e) {
    var old = fingers[e.pointerId], ids = Object.keys(fingers);
    if (!old) return;
    var dx = e.clientX - old[0], dy = e.clientY - old[1];
    if (ids.length === 2) {
      var other = fingers[ids[0] === String(e.pointerId) ? ids[1] : ids[0]];
      var was = Math.hypot(old[0] - other[0], old[1] - other[1]), is = Math.hypot(e.clientX - other[0], e.clientY - other[1]);
      camera.move[0] += dx / 2;
      camera.move[1] += dy / 2;
      if (was > 0) zoomAt(is / was, (e.clientX + other[0]) / 2, (e.clientY + other[1]) / 2);
    } else if (space && !e.shiftKey) {
      camera.azimuth -= dx * 0.008;
      camera.elevation = Math.min(1.55, Math.max(-1.55, camera.elevation + dy * 0.008));
    } else {
      camera.move[0] += dx;
      camera.move[1] += dy;
    }
    fingers[e.pointerId] = [e.clientX, e.clientY];
    redraw();
  });
  ['pointerup', 'pointercancel'].forEach(function (n) {
    sceneCanvas.addEventListener(n, function (e) { delete fingers[e.pointerId]; });
  });
  sceneCanvas.addEventListener('wheel', function (e) {
    e.preventDefault();
    zoomAt(Math.exp(-e.deltaY * 0.0015), e.clientX, e.clientY);
  }, { passive: false });

  // Keys of a plot: zoom, and with Shift the arrows move its window.
  function panelKey(p, e) {
    var b = p.box, arrows = { ArrowLeft: [30, 0], ArrowRight: [-30, 0], ArrowUp: [0, 30], ArrowDown: [0, -30] };
    if (e.key === '+' || e.key === '=') zoomPanel(p, 1.25, (b.left + b.right) / 2, (b.top + b.bottom) / 2);
    else if (e.key === '-') zoomPanel(p, 0.8, (b.left + b.right) / 2, (b.top + b.bottom) / 2);
    else if (e.key === '0') showWhole(p);
    else if (e.shiftKey && arrows[e.key]) movePanel(p, arrows[e.key][0], arrows[e.key][1]);
    else return false;
    return true;
  }
  function key(e) {
    var tag = e.target.tagName, box = sceneCanvas.getBoundingClientRect(), step = (last - first) / 200;
    if (e.ctrlKey || e.metaKey || e.altKey || tag === 'TEXTAREA' || e.target.isContentEditable) return;
    if (options.within && !root.contains(e.target)) return;
    var turning = e.target === sceneCanvas && e.shiftKey, p = e.target.panel;
    if (p && p.box && panelKey(p, e)) return e.preventDefault();
    if (e.key === ' ' && tag !== 'BUTTON' && tag !== 'SUMMARY' && tag !== 'SELECT') playButton.click();
    else if (turning && e.key === 'ArrowLeft') camera.azimuth += 0.1;
    else if (turning && e.key === 'ArrowRight') camera.azimuth -= 0.1;
    else if (turning && e.key === 'ArrowUp') camera.elevation = Math.min(1.55, camera.elevation + 0.1);
    else if (turning && e.key === 'ArrowDown') camera.elevation = Math.max(-1.55, camera.elevation - 0.1);
    else if (tag === 'SELECT' || (tag === 'INPUT' && e.target !== slider)) return;
    else if (e.key === 'ArrowRight') pause(), go(now + step);
    else if (e.key === 'ArrowLeft') pause(), go(now - step);
    else if (e.key === 'Home') go(first);
    else if (e.key === 'End') pause(), go(last);
    else if (e.key === '+' || e.key === '=') zoomAt(1.25, box.left + box.width / 2, box.top + box.height / 2);
    else if (e.key === '-') zoomAt(0.8, box.left + box.width / 2, box.top + box.height / 2);
    else if (e.key === '0') resetCamera();
    else if (e.key === 'd' || e.key === 'D') themeButton.click();
    else return;
    e.preventDefault();
    redraw();
  }
  document.addEventListener('keydown', key);
  var observer = window.ResizeObserver ? new ResizeObserver(redraw) : null;
  if (observer) observer.observe(root);
  window.addEventListener('resize', redraw);

  // ---- begin ----------------------------------------------------------------------------------------------------------------------

  function update(next) {
    var part = last !== first ? (now - first) / (last - first) : 0, before = panels || [], kept = panels ? panels.length : -1;
    load(next);
    panels.forEach(function (p, i) {
      if (before[i] && before[i].zoomed && before.length === panels.length && !p.space) {
        p.low = before[i].low, p.high = before[i].high, p.zoomed = true;
      }
    });
    title.textContent = data.title;
    title.title = data.title;
    sceneCanvas.setAttribute('aria-label', 'Scene of ' + data.title + (space ? ': shift and arrow keys turn it' : ''));
    sceneBox.style.display = data.figures.length ? '' : 'none';
    fields.classList.toggle('rv-bare', !data.figures.length);
    details.style.display = data.summary ? '' : 'none';
    summary.textContent = data.summary;
    buildPlots();
    now = first + (last - first) * (kept >= 0 && isFinite(part) ? part : 0);
    if (!rows) clock.textContent = 'no points';
    redraw();
  }
  readStyle();
  update(data);
  showPlay();
  var calm = window.matchMedia && matchMedia('(prefers-reduced-motion: reduce)').matches;
  if (data.figures.length && !calm && options.play !== false) play();
  return {
    update: update,
    play: play,
    pause: pause,
    go: go,
    theme: setTheme,
    state: function () {
      var seen = panels.map(function (p) { return { low: p.low, high: p.high, zoomed: !!p.zoomed, near: p.near || null }; });
      return { now: now, playing: playing, camera: camera, rows: rows, first: first, last: last, panels: seen };
    },
    stop: function () {
      dead = true;
      document.removeEventListener('keydown', key);
      window.removeEventListener('resize', redraw);
      if (observer) observer.disconnect();
      root.textContent = '';
    }
  };
}
